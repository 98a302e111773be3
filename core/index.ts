/*
 * The words of Horarium. They mean the same in code, messages, settings and documentation.
 *
 * App              A program that can be run, with the environment it needs and the meaning of its exit codes.
 * RunTemplate      The configuration of an App for one company: interval, deadline, retries, environment.
 * Window           A half-open stretch of time, `[start, next start)`, that a template's interval or cron cuts out.
 * Task             The obligation of one window: its App is to succeed by the deadline. There is one for each window.
 * Job              One attempt at a Task, or a run without one (ad hoc). A retry is another Job.
 * Attempt          A Job from its claim to its end: claim, prepare, start, finish.
 * Deadline         The time at which a Task must be fulfilled at the latest. Later success fails it, or with `allow_late` fulfils it late.
 * Start deadline   The last time for an attempt to start: the deadline, or with `allow_late` the window's end; none in a catch-up.
 * Backlog          Windows that passed unscheduled, or under an older schedule, and still need their Tasks.
 * Catch-up         Which windows of the backlog run afterwards: the latest, all or none.
 * Repetition       An attempt at a Task that has ended, which a person requests; if it succeeds, the Task is fulfilled late.
 * Waiver           What lifts a Task that is no longer owed: by a person, or by a change of its template.
 * Backfill         Tasks that a person makes up for windows which have passed and were not owed.
 * Overlap          What happens when a Job is due while another of its template runs: forbid, allow or replace.
 * Calendar         The days off of a company, or of all: a window that begins on one gets no Task, or moves to a working day.
 * Pause            A span in which no Job starts of a template, of a company or of all; Tasks that do not outlast it are cancelled.
 * Maintenance window  A Pause by calendar: no Job starts on its days between two local times.
 * Configuration    What a service runs and when, as files in git have it: by codes and names, without people, secrets and history.
 * Worker           A process that runs Jobs, under a lease.
 * Agent            A machine without the database that joined by a credential, and runs the Jobs of its pools under leases.
 * Pool             A name for agents that run the same Jobs, of some companies or of all.
 * Placement        Where a Job runs that is for agents: a pool, the executor there, and the labels that an agent must have.
 * Slot             A place for one running Job in a worker or an agent, which has a fixed number of them.
 * Turn             The next free slot, which goes to the company whose Jobs hold the fewest of that worker.
 * Share            The slots of a worker that one company may hold while another is enabled: all but the last quarter.
 * Daily quota      The bytes of output and artifacts of a company's Jobs, and of its changes, that may be stored in a day of UTC.
 * Runner           The tick of a worker that claims, starts and finishes Jobs.
 * Lease            The time for which a worker, or an attempt elsewhere or on an agent, may go on; renewed by heartbeats, by the store's clock.
 * Epoch            One lease of a worker from acquisition to loss. Results of an earlier epoch are rejected (fencing).
 * Service time     The store's clock, without a jump ahead that nobody has confirmed. Every decision about time uses it.
 * Step             A sudden change of the store's clock, which the time since the machine was booted does not show.
 * Tick             A bounded piece of background work that returns how long to wait until the next.
 * Reaper           The tick that ends Jobs whose lease has expired.
 * Hold             What keeps a due Job from starting: a Pause, other Jobs of its template, a limit, or no Worker with a free Slot.
 * Executor         What runs an attempt: `native` processes here, `docker` and `podman` containers, `http` requests, `external` programs elsewhere, functions, or a plugin's.
 * Channel          The way a request comes in: `http`, `ui`, `cli`, `embedded` or `system`.
 * Actor            Who makes a request: a user, a local operator or a part of the service, with roles and a channel.
 * Session          A sign-in of a person on a page of the service: a cookie in the browser, and a token that ends it when revoked.
 * Resource         The description of one kind of record; routes, commands, OpenAPI, columns and audit follow from it.
 * Computed field   A field that is shown with a record but not stored in it.
 * Reaction         What follows when a record is saved or deleted, in the same transaction.
 * Store            The port to a database; its tables exist within one transaction.
 * Registry         The executors, formats and other extensions of one kind that plugins provide, by name.
 * Cipher key       A random name of a record, stored encrypted, that binds the record's secrets to it.
 * Redact           To replace secret values in output and messages by a mask of eight bullets.
 * Audit chain      The entries of the audit log, each sealed by an HMAC over itself and the one before.
 * Audit archive    The files to which old entries of the audit log move, in segments; the last one that has moved is the checkpoint.
 * Forged entry     An entry of the audit log that the service did not write: its MAC is wrong, and it is never sealed.
 * Idempotency key  A client's name for a request, so that sending it again changes nothing again.
 */

import './node-version.ts';

// The core and its options.

export type { BackupHeader, BackupProgress } from './backup/backup-file.ts';
export type { Backups } from './backup/backups.ts';
export { BackupReader } from './backup/read-backup.ts';
export type { RestoredBackup, RestoreOptions } from './backup/restore-backup.ts';
export type { WrittenBackup } from './backup/write-backup.ts';
export type {
  AppliedConfiguration,
  ApplyOptions,
  ConfigurationAction,
  ConfigurationChange,
} from './configuration/apply.ts';
export type { Configuration } from './configuration/configuration.ts';
export { type ConfiguredRecord, configuredKinds } from './configuration/configured-fields.ts';
export type { ExportedConfiguration, ExportOptions } from './configuration/export.ts';
export { Core } from './core.ts';
export { type CoreEvents, type CoreOptions, leaseBounds } from './core-options.ts';
export type { FunctionOptions, RecurringOptions } from './function-records.ts';
export type { JoinedCore } from './joined-core.ts';
export { type MemoryStoreOptions, memoryStore } from './memory-store.ts';
export type { DeletedCounts } from './retention/delete-expired.ts';
export type { PruningProgress } from './retention/retention.ts';
export type { FigureOptions, Readiness, ServiceFigures } from './service-status.ts';
export { type ClockChange, describeClockChange } from './service-time/clock-state.ts';
export type { NamedPause } from './summary/pauses.ts';
export { type NamedProblem, problemKinds, problemMeanings, type SummaryProblem } from './summary/problem.ts';
export { shownSummary } from './summary/shown-summary.ts';
export type { NamedRun, Summary, SummaryRequest } from './summary/summary.ts';
export {
  type Outlook,
  type OutlookRequest,
  type OutlookState,
  outlookSlot,
  outlookStates,
  type RestOfDay,
  type StartingRun,
  slotsAhead,
  slotsBehind,
} from './timeline/outlook.ts';
export { shownOutlook, shownTimeline } from './timeline/shown-timeline.ts';
export {
  type ListedAttempt,
  type ListedTasks,
  type ListedWindows,
  maxSlots,
  maxTimelineRows,
  type OffReason,
  offReasons,
  type SlotCounts,
  type Timeline,
  type TimelineHold,
  type TimelineRequest,
  type TimelineRow,
  type TimelineState,
  timelineStates,
} from './timeline/timeline.ts';
export {
  type ChangesSinceSuccess,
  type ConditionName,
  conditionMeanings,
  conditionNames,
  type ExplainedKind,
  type Explanation,
  explainedKinds,
  type RunCondition,
  type RunDifference,
  type SavedChange,
} from './why/explanation.ts';
export { shownExplanation } from './why/shown-explanation.ts';

// The records, and what the core does with them.

export { type ActionEvent, actionEvents } from './action/notice.ts';
export { agentStatusColumns, unservedPoolColumns } from './agent/agent-status.ts';
export { App, type AppInput, type AppRow } from './app/app.ts';
export { Topic, type TopicInput, type TopicRow } from './app/topic.ts';
export type { AuditArchive, SegmentWriter } from './audit/archive/audit-archive.ts';
export { type AuditEntry, AuditLog } from './audit/audit-log.ts';
export type { AuditedStore, ChangeOptions } from './audit/audited-store.ts';
export { type Head, readAuditHead } from './audit/chain.ts';
export { changeSchema } from './audit/changes.ts';
export {
  type ChangeFilter,
  type ChangeNotice,
  type FollowedChanges,
  type FollowOptions,
  type RecordChanges,
  shownChange,
} from './audit/feed/record-changes.ts';
export { Calendar, type CalendarInput, type CalendarRow } from './calendar/calendar.ts';
export { Company, type CompanyInput, type CompanyRow } from './company/company.ts';
export { Credential, type CredentialInput } from './credential/credential.ts';
export { CredentialType, type CredentialTypeInput } from './credential/credential-type.ts';
export { Delivery, type DeliveryRow, describeFailedDelivery, type FailedDelivery } from './delivery/delivery.ts';
export type { ListPlace, TestResult } from './delivery/test-notices.ts';
export { Event, type EventRow } from './event/event.ts';
export { EventSource, type EventSourceInput } from './event/event-source.ts';
export { EventRule, type EventRuleInput } from './event/rule/event-rule.ts';
export { Artifact, type StoredArtifact } from './job/artifact.ts';
export { Job, type JobInput, type JobRow, type NewJob } from './job/job.ts';
export type { JobChange } from './job/job-access.ts';
export type { OutputPage } from './job/job-output.ts';
export { isJobEnded, type JobState, jobStates } from './job/job-states.ts';
export {
  MaintenanceWindow,
  type MaintenanceWindowInput,
  type MaintenanceWindowRow,
} from './maintenance/maintenance-window.ts';
export type { NamedRecords } from './named-records.ts';
export { describePause, endOfPause, Pause, type PauseInput, type PauseRow } from './pause/pause.ts';
export type { Records } from './records/records.ts';
export type { Saved } from './records/saved.ts';
export {
  type Actor,
  type CompanyRole,
  companyRoles,
  type RequestOrigin,
  type Role,
  roles,
  trustedActor,
} from './resource/actor.ts';
export { allResources, allTables, tablesOf } from './resources.ts';
export {
  type Backfill,
  type BackfillRange,
  backfillFields,
  leftOutWarning,
  readBackfill,
} from './scheduler/backfill.ts';
export type { PlannedRun } from './scheduler/simulate.ts';
export { type WaiverFields, waiverFields } from './scheduler/waive-tasks.ts';
export type { RotationProgress } from './secret/rotate-vault.ts';
export { isTaskEnded, Task, type TaskRow, type TaskState, taskStates } from './task/task.ts';
export { Tasks, type WatchOptions } from './task/tasks.ts';
export { maxPreviewed, type PlannedWindow, type PreviewRange, shownWindow } from './template/preview.ts';
export { catchUps, RunTemplate, type RunTemplateInput, type RunTemplateRow } from './template/run-template.ts';
export { actorOf, findAccount } from './user/account.ts';
export { CompanyUser, type CompanyUserInput, type CompanyUserRow } from './user/company-user.ts';
export { createFirstUser, type FirstUser } from './user/first-user.ts';
export { roleIds, roleNames } from './user/roles.ts';
export { type SignedIn, SignIn, type SignInNote } from './user/sign-in.ts';
export { Token, type TokenRow } from './user/token.ts';
export { User, type UserInput, type UserRow } from './user/user.ts';
export { UserRoles, type UserRolesInput } from './user/user-roles.ts';
export { describeFailedJob, describeUnmetTask, type FailedJob, type UnmetTask } from './worker/finish/failure-notes.ts';
export { readLiveAgents } from './worker/lease/agent-presence.ts';
export { WorkerLease } from './worker/lease/worker-lease.ts';

// Describing resources and fields.

export { describeFields, type FieldDescription } from './field/field-description.ts';
export {
  type Field,
  type Fields,
  type InputOf,
  type InputRule,
  type JsonSchema,
  metaOf,
  type ValueOf,
} from './field/field-meta.ts';
export { choice, count, flag, instant, integer, ref, refs, seconds, text, texts } from './field/fields.ts';
export { anything, json, mapOf, optionalJson, scalar } from './field/structured.ts';
export { type Contribution, compute, contribute, react } from './resource/contribute.ts';
export {
  type AnyResource,
  type CheckContext,
  type ComputedOptions,
  defineJournal,
  defineResource,
  type Reaction,
  type Resource,
} from './resource/define-resource.ts';
export { byMembership, byRole, isAdmin, ownedBy, type Permissions, type Verb } from './resource/permissions.ts';
export type { RecordServices } from './resource/record-services.ts';
export { type AnyRow, defineBookkeeping, type RowOfTable, type TableDescription } from './store/table.ts';

// Ports, and the implementations that need no platform.

export type { AnyAction } from './action/action.ts';
export { type ActionLists, actionList } from './action/action-lists.ts';
export type { ListedAction } from './action/listed-action.ts';
export {
  type AnyCalendarRule,
  type CalendarDay,
  type CalendarRule,
  defineCalendarRule,
} from './calendar/calendar-rule.ts';
export type { ChangeBatch, EventSourceKind, OpenEventSource, SourceChange } from './event/event-source-kind.ts';
export type { Clock, Instant, Milliseconds } from './loop/clock.ts';
export { type EventLoopBlock, EventLoopWatch } from './loop/event-loop-watch.ts';
export { systemClock } from './loop/system-clock.ts';
export {
  type Format,
  type FormatContext,
  type RecordShape,
  type ResponseShape,
  recordShapes,
} from './plugin/format.ts';
export type { PasswordHasher } from './secret/password-hasher.ts';
export type { Hmac, Vault } from './secret/vault.ts';
export { MemoryStore } from './store/memory/memory-store.ts';
export type { Count, Histogram, Query, Steps, Where } from './store/query.ts';
export type { Change, Hints, OpenHints, Store, Table, TableCopy, Tables, TransactionOptions } from './store/store.ts';
export type { Digests } from './user/digests.ts';

// Executors and functions.

export {
  type AnyExecutor,
  type Attempt,
  type AttemptHandle,
  type AttemptReport,
  type AttemptResult,
  type Executor,
  type ExternalExecutor,
  isStartedHere,
  type OutputStream,
} from './executor/executor.ts';
export {
  type FunctionAttempt,
  FunctionExecutor,
  type FunctionExecutorOptions,
  type JobFunction,
} from './executor/function-executor.ts';
export { defineFunction, type FunctionDefinition, functions, type TypedAttempt } from './executor/functions.ts';

// Errors.

export {
  badRequest,
  conflict,
  DatabaseBusy,
  denied,
  type ErrorCode,
  errorMessage,
  type FieldError,
  HorariumError,
  invalid,
  LockTimeout,
  notFound,
  StaleRow,
  StoreUnavailable,
  TooManyRequests,
} from './errors.ts';

// For channels: plugins, and the routes and commands that they add.

export { blamePlugin, PluginFailure } from './errors.ts';
export type { AnyCommand } from './plugin/command.ts';
export type { AnyPlugin, StaticAssets } from './plugin/define-plugin.ts';
export type { PluginCore } from './plugin/plugin-core.ts';
export type { PluginGauge } from './plugin/plugin-gauge.ts';
export { addPluginResources, type PluginMigrations } from './plugin/plugin-resource.ts';
export { tickerOf } from './plugin/plugin-ticker.ts';
export { type PluginLog, type PreparedPlugin, preparePlugin } from './plugin/prepare-plugin.ts';
export { buildCommands, buildPaths, buildRegistries, buildResources, type Registries } from './plugin/registries.ts';
export type { Link, ListLinks, ResponseLinks } from './plugin/response-links.ts';
export type {
  ApiDescription,
  HttpRequest,
  OpenApiDocument,
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

// For channels: the input of requests.

export { isReport, readReport, reportFields } from './external/report.ts';
export type { ReportedFile } from './external/reported-files.ts';
export { type ParsedJson, parseJson } from './field/json-text.ts';
export { parseBoolean, parseId, parseIds } from './field/parse-values.ts';
export { readCancellation, readClaim } from './job/job-input.ts';
export { maxKeepDays, maxKeepLast, type ServiceRetentionRules } from './quota/keep-rules.ts';
export {
  type IdempotentRequest,
  ReplayedResponse,
  requestInFlight,
  type StoredResponse,
} from './records/idempotency.ts';
export { knownFields, maxParsedText, readField, throwIfInvalid, unchecked } from './records/input.ts';
export {
  listParameters,
  pageParameters,
  readListInput,
  readTimeBound,
  readTimezone,
  readWholeNumber,
} from './records/list-input.ts';
export {
  maxFilterValues,
  maxOffset,
  maxPageSize,
  noReference,
  orderableFields,
  takesNone,
  takesSeveral,
} from './records/list-query.ts';
export { recordInput, type UncheckedInput } from './records/text-input.ts';
export type { UndoneChange } from './records/undo/undo.ts';
export { didYouMean } from './registry/did-you-mean.ts';
export { maxReferenceName, namingFieldsOf } from './resource/references.ts';
export { parseDuration, writeSeconds } from './time/duration.ts';
export { canonicalZone } from './time/zone.ts';
export { maxRolesGiven } from './user/roles.ts';
export { parseTtl } from './user/tokens.ts';
export { maxLoginLength, maxPasswordLength, minPasswordLength } from './user/user.ts';

// For channels: what they show and document of records and resources.

export { isLabelled, type RecordLabel, readLabels } from './configuration/labels.ts';
export { nullable } from './field/json-schema.ts';
export { permissionRows, writeRefusalOf } from './resource/access.ts';
export { exampleInput, exampleOutput } from './resource/example.ts';
export { nounsOf } from './resource/nouns.ts';
export { computedColumns, embeddedIn, withoutComputedFields } from './resource/serialize.ts';
export { serializeRow, visibleColumns } from './resource/serialize-row.ts';
export { summaryFieldsOf } from './resource/summary-fields.ts';
export { withResourceNames } from './resource/with-resource-names.ts';
export { ciphertextPrefix, mask } from './secret/ciphertext.ts';
export { formatInstant, isInstant } from './time/instant.ts';
export { formatLocalTime, maxDays, readLocalTime } from './time/local-time.ts';
export { zoneNamed } from './time/zone.ts';

// For channels: limits and caches.

export { Semaphore } from './loop/semaphore.ts';
export { carryHolders, type HolderContext, resumeThread } from './loop/thread-holder.ts';
export { yieldToEventLoop } from './loop/yield-to-event-loop.ts';
export { memoized } from './registry/memoized.ts';
