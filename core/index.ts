import './node-version.ts';

export * from './app/app.ts';
export * from './app/declarations.ts';
export * from './app/split-words.ts';
export * from './app/topic.ts';
export * from './attempt/claim-jobs.ts';
export * from './attempt/environment.ts';
export * from './attempt/finish-jobs.ts';
export * from './attempt/prepare-attempts.ts';
export * from './attempt/worker-reaper.ts';
export * from './audit/audit-log.ts';
export * from './audit/audited-store.ts';
export * from './audit/chain.ts';
export * from './audit/sealer.ts';
export * from './audit/verify.ts';
export * from './company/company.ts';
export * from './core.ts';
export * from './credential/credential.ts';
export * from './credential/credential-field.ts';
export * from './credential/credential-type.ts';
export * from './credential/declared-secrets.ts';
export * from './errors.ts';
export * from './event/event-rule.ts';
export * from './event/event-source.ts';
export * from './event/event-source-kind.ts';
export * from './event/event-sources.ts';
export * from './executor/attempt-limits.ts';
export * from './executor/executor.ts';
export { WorkerLease, type WorkerLeaseRow } from './executor/worker-lease.ts';
export * from './external/external-jobs.ts';
export * from './external/external-lease.ts';
export * from './external/external-lease-reaper.ts';
export * from './external/heartbeats.ts';
export * from './external/report.ts';
export type { ReportedFile } from './external/reported-files.ts';
export * from './field/did-you-mean.ts';
export * from './field/field-meta.ts';
export * from './field/field-table.ts';
export * from './field/fields.ts';
export * from './field/json-schema.ts';
export { type ParsedJson, parseJson, readJson } from './field/json-text.ts';
export * from './field/parse-values.ts';
export * from './field/structured.ts';
export * from './field/value-path.ts';
export * from './field/web-fields.ts';
export * from './job/artifact.ts';
export * from './job/job.ts';
export type { JobChange } from './job/job-access.ts';
export { readCancellation, readClaim } from './job/job-input.ts';
export * from './job/job-output.ts';
export * from './job/job-states.ts';
export * from './job/jobs.ts';
export * from './job/overrides.ts';
export * from './loop/clock.ts';
export * from './loop/loop.ts';
export { Semaphore } from './loop/semaphore.ts';
export * from './plugin/command.ts';
export * from './plugin/define-plugin.ts';
export * from './plugin/format.ts';
export { importCommand } from './plugin/import-command.ts';
export type { AnyImporter } from './plugin/importer.ts';
export * from './plugin/prepare-plugin.ts';
export * from './plugin/registries.ts';
export * from './plugin/response-links.ts';
export type {
  HttpRequest,
  OpenApiDocument,
  PageState,
  QueryParameters,
  Reply,
  Route,
  RouteContext,
} from './plugin/route.ts';
export type {
  BodyShape,
  ParameterShape,
  ReplyHeader,
  ReplyShape,
  Right,
  RouteShape,
  Sample,
} from './plugin/route-shape.ts';
export * from './records/idempotency.ts';
export * from './records/input.ts';
export {
  type ListParameters,
  listParameters,
  pageParameters,
  readListInput,
  readTimeBound,
  readWholeNumber,
} from './records/list-input.ts';
export * from './records/list-query.ts';
export * from './records/records.ts';
export * from './records/removal.ts';
export { readTextFields, recordInput, type TextFields, type UncheckedInput } from './records/text-input.ts';
export { memoized } from './registry/memoized.ts';
export * from './registry/registry.ts';
export * from './resource/access.ts';
export * from './resource/actor.ts';
export * from './resource/contribute.ts';
export * from './resource/define-resource.ts';
export * from './resource/example.ts';
export * from './resource/options.ts';
export * from './resource/permissions.ts';
export * from './resource/record-services.ts';
export * from './resource/references.ts';
export * from './resource/serialize.ts';
export * from './resource/serialize-row.ts';
export * from './resource/summary-fields.ts';
export * from './resources.ts';
export * from './scheduler/reschedule-template.ts';
export * from './scheduler/schedule-reactions.ts';
export * from './scheduler/scheduler.ts';
export * from './scheduler/simulate.ts';
export * from './secret/ciphertext.ts';
export * from './secret/key-manager.ts';
export * from './secret/password-hasher.ts';
export * from './secret/record-cipher.ts';
export * from './secret/redactor.ts';
export * from './secret/rotate-vault.ts';
export * from './secret/vault.ts';
export * from './store/memory/memory-store.ts';
export * from './store/query.ts';
export { eachPage } from './store/read-rows.ts';
export * from './store/setting.ts';
export * from './store/store.ts';
export * from './store/table.ts';
export { typedTable } from './store/wrap-tables.ts';
export * from './task/task.ts';
export * from './task/task-outcome.ts';
export * from './task/task-summary.ts';
export * from './template/disabled-reason.ts';
export * from './template/preview.ts';
export * from './template/run-template.ts';
export * from './template/schedule.ts';
export * from './template/template-actions.ts';
export * from './time/cadence.ts';
export * from './time/deadline.ts';
export * from './time/due.ts';
export * from './time/duration.ts';
export * from './time/instant.ts';
export * from './time/interval.ts';
export * from './time/retry.ts';
export * from './time/timing.ts';
export * from './time/windows.ts';
export * from './time/zone.ts';
export * from './user/account.ts';
export * from './user/company-user.ts';
export * from './user/digests.ts';
export * from './user/first-user.ts';
export * from './user/last-super-admin.ts';
export * from './user/login-throttle.ts';
export * from './user/password-change.ts';
export * from './user/roles.ts';
export * from './user/sign-in.ts';
export * from './user/token.ts';
export * from './user/tokens.ts';
export * from './user/user.ts';
export * from './user/user-roles.ts';
export * from './worker/lease-epoch.ts';
export * from './worker/retention.ts';
export * from './worker/runner.ts';
export * from './worker/service-status.ts';
export * from './worker/worker.ts';
