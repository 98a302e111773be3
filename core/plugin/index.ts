/**
 * Everything that authors of plugins need: `definePlugin`, the ports that plugins implement, the field helpers that
 * describe options, and the records that importers and routes work with.
 */
import '../node-version.ts';

// A plugin.

export { type AnyPlugin, definePlugin, type Plugin, type PluginSetup, type StaticAssets } from './define-plugin.ts';

// Executors: how attempts run, and the limits of what an attempt may leave.

export { type AgentExecutor, agentExecutor } from '../executor/agent-executor.ts';
export {
  type AsyncExecutor,
  type AsyncExecutorDefinition,
  defineAsyncExecutor,
  type StartRefusal,
} from '../executor/async-executor.ts';
export type { AsyncAttempt, AsyncOutcome } from '../executor/async-run.ts';
export {
  type AttemptLimits,
  artifactRefusal,
  attemptLimitOptions,
  attemptLimits,
  outputCut,
} from '../executor/attempt-limits.ts';
export { type AttemptProgress, shownProgress } from '../executor/attempt-progress.ts';
export {
  type AnyExecutor,
  type ArtifactFile,
  type Attempt,
  type AttemptHandle,
  type AttemptReport,
  type AttemptResult,
  defineExecutor,
  defineExternalExecutor,
  type Executor,
  type ExternalExecutor,
  type GivenFile,
  type GivenOptions,
  type OutputStream,
} from '../executor/executor.ts';
export { declaredMediaType } from '../executor/media-type.ts';
export { type Placement, placeName, readPlacement } from '../executor/placement.ts';
export type { Executable, ForbiddenVariables } from '../resource/record-services.ts';

// Agents, machines without the database: for those who connect them.

export type { AgentStop, InputPiece, PieceRequest, RunningAttempt } from '../agent/agent-attempts.ts';
export type { AgentEvent, AttemptLeaseTimes, ReportedEvent, ReportOutcome } from '../agent/agent-report.ts';
export { isAgentInUse } from '../agent/agent-use.ts';
export type { AgentClaim, AgentClaims, ClaimedAttempt, PlacedWork } from '../agent/claim-for-agent.ts';
export type { EndedLeases, LiveAgent } from '../agent/end-leases.ts';
export {
  type AgentHealth,
  type AgentPresenceState,
  agentPresenceStates,
  readAgentHealth,
  type SeenAgent,
} from '../worker/lease/agent-presence.ts';

// Actions, which tell what became of a Task.

export {
  type Action,
  type ActionDelivery,
  type AnyAction,
  DeliveryRefused,
  type DeliveryResult,
  defineAction,
} from '../action/action.ts';
export {
  type ActionEvent,
  actionEvents,
  type NamedRecord,
  type Notice,
  type NoticeDigest,
  type NoticedJob,
  type NoticedTask,
} from '../action/notice.ts';
export {
  fillNotice,
  type MessageTemplates,
  type NoticeText,
  type NoticeValues,
  noticeText,
  noticeValueNames,
  noticeValues,
  serializeNotice,
} from '../action/notice-text.ts';

// Rules that say which days of calendars are off.

export {
  type AnyCalendarRule,
  type CalendarDay,
  type CalendarRule,
  defineCalendarRule,
} from '../calendar/calendar-rule.ts';

// Kinds of event sources.

export {
  type ChangeBatch,
  defineEventSourceKind,
  type EventSourceKind,
  type OpenEventSource,
  type SourceChange,
} from '../event/event-source-kind.ts';

// Formats, and what they write.

export type { Format, FormatContext, RecordShape, ResponseShape } from './format.ts';
export type { Link, ListLinks, ResponseLinks } from './response-links.ts';

// Loops over many rows or pieces.

export { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';

// Importers.

export { defineFileImport, type FileImport, type ImportContext, type ImportReport } from './import/file-import.ts';
export { importRoute } from './import/import-route.ts';
export {
  type AnyImporter,
  defineImporter,
  type ImportEntry,
  type Importer,
  type ImportPlan,
  type ImportRecord,
  type ImportResult,
  type ImportService,
  type RecordReference,
  type StoredEntry,
  type StoredRecord,
} from './import/importer.ts';

// Commands.

export {
  type AnyCommand,
  type Command,
  type CommandContext,
  type CommandOutput,
  defineCommand,
  type PlainRecord,
  type TextFile,
} from './command.ts';

// Routes, and the core that their handlers call.

export { type Report, readReport } from '../external/report.ts';
export { DraftSchedule } from '../forms/draft-schedule.ts';
export { maxFound, maxFoundOfKind, maxSearch } from '../search/search.ts';
export { countTaskDays, maxDayTemplates, maxTaskDays } from '../task/task-days.ts';
export { shownWindow } from '../template/preview.ts';
export { shownExplanation } from '../why/shown-explanation.ts';
export type { CheckWarning, PluginCheck } from './plugin-check.ts';
export type { PluginCore } from './plugin-core.ts';
export type { PluginGauge } from './plugin-gauge.ts';
export type { PluginTicker } from './plugin-ticker.ts';
export type {
  ApiDescription,
  HttpRequest,
  OpenApiDocument,
  PageState,
  QueryParameters,
  Reply,
  Route,
  RouteContext,
} from './route.ts';
export type {
  BodyShape,
  ParameterShape,
  ReplyHeader,
  ReplyShape,
  Right,
  RouteShape,
  Sample,
} from './route-shape.ts';

// The fields that describe options, and the values of them.

export { declarableKey, environmentKey } from '../app/environment-map.ts';
export type { FieldDescription, FieldDescriptions } from '../field/field-description.ts';
export {
  type Field,
  type FieldMeta,
  type Fields,
  fits,
  type InputOf,
  type InputRule,
  type JsonSchema,
  type Kind,
  type RowOf,
  type ValueOf,
} from '../field/field-meta.ts';
export { choice, count, flag, instant, integer, ref, refs, seconds, text, texts } from '../field/fields.ts';
export { schemaOf } from '../field/json-schema.ts';
export { readJson } from '../field/json-text.ts';
export { parseId, parseIds } from '../field/parse-values.ts';
export { slugOf } from '../field/slug.ts';
export { json, keyProblem, mapOf, optionalJson, type Scalar, scalar } from '../field/structured.ts';
export { isPlainObject } from '../field/value-path.ts';

// Kinds of records that a plugin brings, and fields that it adds to others.

export { type AddedFields, defineFields, setFields } from '../resource/added-fields.ts';
export { defineResource } from '../resource/define-resource.ts';
export { byMembership, byRole, isAdmin, ownedBy, type Permissions } from '../resource/permissions.ts';
export type { PluginFields, PluginMigration, PluginResource } from './plugin-resource.ts';

// Errors, and the validation of input.

export { type ErrorCode, errorMessage, type FieldError, HorariumError, invalid } from '../errors.ts';
export { fieldErrors, readField, throwIfInvalid, unchecked } from '../records/input.ts';
export { readTimezone } from '../records/list-input.ts';
export { readValues } from '../records/plugin-options.ts';
export { readStatuses } from '../records/undo/undone.ts';

// The records that importers and routes work with.

export { App, type AppInput, type AppRow } from '../app/app.ts';
export {
  type ArtifactPattern,
  type ExitCode,
  isSecretType,
  type Severity,
  severities,
  type Variable,
} from '../app/declarations.ts';
export { Topic, type TopicRow } from '../app/topic.ts';
export { Calendar, type CalendarRow } from '../calendar/calendar.ts';
export { Company, type CompanyRow } from '../company/company.ts';
export { companyNamed } from '../company/company-named.ts';
export { Job } from '../job/job.ts';
export { maxPageSize } from '../records/list-query.ts';
export type { Records } from '../records/records.ts';
export { type Actor, trustedActor } from '../resource/actor.ts';
export type { AnyResource } from '../resource/define-resource.ts';
export type { Tables } from '../store/store.ts';
export { Task } from '../task/task.ts';
export { RunTemplate, type RunTemplateInput, type RunTemplateRow } from '../template/run-template.ts';
export { CompanyUser } from '../user/company-user.ts';
export { parseTtl } from '../user/tokens.ts';

// Time, and the windows that an interval cuts out.

export type { Clock, Instant, Milliseconds } from '../loop/clock.ts';
export { Loop, type Ticker } from '../loop/loop.ts';
export { Semaphore } from '../loop/semaphore.ts';
export { startAtOrAfter } from '../time/cadence.ts';
export { formatInstant } from '../time/instant.ts';
export { canonicalZone, zoneNamed } from '../time/zone.ts';

// Command lines, stable ids, canonical JSON and masked secrets.

export { joinWords, splitWords } from '../app/split-words.ts';
export { canonicalJson } from '../field/canonical-json.ts';
export { stableId, stableUuid } from '../field/stable-id.ts';
export { isCiphertext, mask } from '../secret/ciphertext.ts';
