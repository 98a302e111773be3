import { AgentLease } from './agent/agent-lease.ts';
import { encryptedTails } from './agent/masked-streams.ts';
import { App } from './app/app.ts';
import { Topic } from './app/topic.ts';
import { AuditCheckpoint } from './audit/archive/checkpoint.ts';
import { AuditLog } from './audit/audit-log.ts';
import { AuditSpan } from './audit/audit-span.ts';
import type { ChangeObserver } from './audit/observed-changes.ts';
import { Calendar } from './calendar/calendar.ts';
import { Company } from './company/company.ts';
import { Credential } from './credential/credential.ts';
import { CredentialType } from './credential/credential-type.ts';
import { warnOfMissingValues } from './credential/required-fields.ts';
import {
  ActionSubscription,
  updateCompanySubscription,
  updateTemplateSubscription,
} from './delivery/action-subscription.ts';
import { Delivery } from './delivery/delivery.ts';
import { DeliveryOutbox, type OutboxContext } from './delivery/delivery-outbox.ts';
import { Event } from './event/event.ts';
import { EventSource } from './event/event-source.ts';
import { refuseLoop } from './event/rule/chain-loop.ts';
import { EventRule } from './event/rule/event-rule.ts';
import { boundRules } from './event/rule/rule-limits.ts';
import { pollAfterSave } from './event/source-reader.ts';
import { transitionEvents } from './event/transition-events.ts';
import { ExternalLease } from './external/external-lease.ts';
import { Artifact, ArtifactContent } from './job/artifact.ts';
import {
  encryptNewSecretsOfApp,
  encryptNewSecretsOfCredentialType,
  encryptNewSecretsOfTemplate,
} from './job/encrypt-new-secrets.ts';
import { encryptedJobs } from './job/encrypted-jobs.ts';
import { Job } from './job/job.ts';
import { keepUserOfRunningJobs, refuseLiveJobDeletion } from './job/job-access.ts';
import { JobOutput } from './job/job-output.ts';
import { isJobEnded, type JobState } from './job/job-states.ts';
import { onMaintenanceCalendarChange, onMaintenanceChange } from './maintenance/maintenance-reactions.ts';
import { MaintenanceWindow } from './maintenance/maintenance-window.ts';
import { Pause } from './pause/pause.ts';
import { pauseFields } from './pause/pause-fields.ts';
import { DailyUsage } from './quota/daily-usage.ts';
import { IdempotencyRecord } from './records/idempotency.ts';
import { compute, contribute, react } from './resource/contribute.ts';
import type { AnyResource } from './resource/define-resource.ts';
import { withResourceNames } from './resource/with-resource-names.ts';
import { releaseDeletedPause } from './scheduler/release-pauses.ts';
import { onAppChange, onCalendarChange, onCompanyChange, onTemplateChange } from './scheduler/schedule-reactions.ts';
import { encryptedTablesOf } from './secret/encrypted-tables.ts';
import { Setting } from './store/setting.ts';
import type { AnyRow, TableDescription } from './store/table.ts';
import { Task } from './task/task.ts';
import { TaskTotal } from './task/task-total.ts';
import { boundActiveTemplates } from './template/active-templates.ts';
import { RunTemplate } from './template/run-template.ts';
import { Schedule, scheduleFields } from './template/schedule.ts';
import { warnOfExecutors } from './template/warn-of-executors.ts';
import { CompanyUser } from './user/company-user.ts';
import { keepSuperAdminRole, keepSuperAdminUser } from './user/last-super-admin.ts';
import { LoginAttempt } from './user/login-throttle.ts';
import { revokeLoginTokens, Token } from './user/token.ts';
import { User } from './user/user.ts';
import { UserRoles } from './user/user-roles.ts';
import { type FailureEvents, failureNotes } from './worker/finish/failure-notes.ts';
import { waitingReason } from './worker/hold.ts';
import { AgentPresence } from './worker/lease/agent-presence.ts';
import { WorkerLease, workersWithoutKey } from './worker/lease/worker-lease.ts';

/** Every kind of record of the product, each after those it refers to, by the plural of its name. */
export const productResources = {
  topics: Topic,
  apps: App,
  companies: Company,
  users: User,
  userRoles: UserRoles,
  tokens: Token,
  companyUsers: CompanyUser,
  credentialTypes: CredentialType,
  credentials: Credential,
  calendars: Calendar,
  runTemplates: RunTemplate,
  maintenanceWindows: MaintenanceWindow,
  pauses: Pause,
  tasks: Task,
  events: Event,
  jobs: Job,
  artifacts: Artifact,
  eventSources: EventSource,
  eventRules: EventRule,
  deliveries: Delivery,
  auditLog: AuditLog,
};
export type ProductResources = typeof productResources;

const hasJobEnded = (row: AnyRow) => isJobEnded(row['state'] as JobState);

/** What later layers contribute to the resources of earlier ones. */
const contributions = [
  compute(RunTemplate, scheduleFields),
  compute(RunTemplate, pauseFields),
  compute(Job, waitingReason),
  compute(Job, { embeds: { events: { resource: Event, by: 'job_id', mayHave: hasJobEnded } }, detailOnly: true }),
  compute(Event, { embeds: { jobs: { resource: Job, by: 'event_id' } }, detailOnly: true }),
  compute(Task, { embeds: { jobs: { resource: Job, by: 'task_id' } }, detailOnly: true }),
  react(RunTemplate, boundActiveTemplates, onTemplateChange, encryptNewSecretsOfTemplate, updateTemplateSubscription),
  react(Calendar, onCalendarChange, onMaintenanceCalendarChange),
  react(MaintenanceWindow, onMaintenanceChange),
  react(Pause, releaseDeletedPause),
  react(App, onAppChange, encryptNewSecretsOfApp, warnOfExecutors),
  react(Company, onCompanyChange, keepUserOfRunningJobs, updateCompanySubscription),
  react(CredentialType, encryptNewSecretsOfCredentialType, warnOfMissingValues),
  react(User, revokeLoginTokens, keepSuperAdminUser),
  react(UserRoles, keepSuperAdminRole),
  react(Job, refuseLiveJobDeletion),
  react(EventSource, pollAfterSave),
  react(EventRule, boundRules, refuseLoop),
];

/** What observers need, and what they call after the commits that make work for the background. */
export interface ObserverParts {
  /** There are pending events. @default nothing is called */
  onEvents?(): void;
  /** Is told of Tasks and jobs that fail. @default none is told */
  readonly failures?: FailureEvents;
  /** @default no action follows anything */
  readonly outbox?: OutboxContext;
}

/** Everything that follows from changes of records, in the transactions that make them. */
export function productObservers({ onEvents, failures, outbox }: ObserverParts = {}): readonly ChangeObserver[] {
  return [
    ...(failures ? [failureNotes(failures)] : []),
    transitionEvents(onEvents),
    ...(outbox ? [new DeliveryOutbox(outbox)] : []),
  ];
}

/** Every kind of record, with what later layers contribute to it. */
export const allResources: readonly AnyResource[] = withResourceNames(
  contribute(Object.values(productResources), contributions),
);

/**
 * The tables whose changes are not audited: the log itself and what finds its entries, schedules and their counters, workers and leases, output, which
 * templates and companies have actions, what these deliver, the bytes of files (their records are audited), settings of the store, the bytes of each day, how many Tasks are no longer kept, responses to requests that may be sent again,
 * and failed logins. Changes of all others are audited.
 */
const notAudited: readonly TableDescription[] = [
  AuditLog,
  AuditSpan,
  AuditCheckpoint,
  Delivery,
  ActionSubscription,
  Schedule,
  WorkerLease,
  ExternalLease,
  AgentLease,
  AgentPresence,
  JobOutput,
  ArtifactContent,
  Setting,
  DailyUsage,
  TaskTotal,
  IdempotencyRecord,
  LoginAttempt,
] as readonly TableDescription[];

/** Every table of a store for those resources, each after those it refers to. */
export function tablesOf(resources: readonly AnyResource[]): readonly TableDescription[] {
  const bookkeeping = notAudited.filter(({ name }) => !resources.some((resource) => resource.name === name));
  return [...resources, ...bookkeeping, ...resources.flatMap(({ added }) => added)];
}

export const allTables = tablesOf(allResources);

/** Tells a rotation of the vault where secrets are stored, and which workers lack the new key. */
export function rotationRules(resources: readonly AnyResource[] = allResources) {
  const tables = [...encryptedTablesOf(tablesOf(resources)), encryptedJobs, encryptedTails];
  return { tables, workersWithoutKey };
}

/** The resource of that name, as the API writes it. @throws Error when there is none. */
export function findResource(name: string, resources: readonly AnyResource[] = allResources): AnyResource {
  const resource = resources.find((each) => each.name === name);
  if (!resource) throw new Error(`There is no resource ${name}.`);
  return resource;
}
