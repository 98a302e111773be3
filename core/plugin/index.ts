/**
 * Everything that authors of plugins need: `definePlugin`, the ports that plugins implement, the field helpers that
 * describe options, and the records that importers and routes work with.
 */
import '../node-version.ts';

export { App, type AppRow } from '../app/app.ts';
export {
  type ArtifactPattern,
  type ExitCode,
  isSecretType,
  type Severity,
  severities,
  type Variable,
} from '../app/declarations.ts';
export { joinWords, splitWords } from '../app/split-words.ts';
export { Topic } from '../app/topic.ts';
export { canonicalJson } from '../audit/chain.ts';
export { Company } from '../company/company.ts';
export { type ErrorCode, type FieldError, HorariumError, invalid } from '../errors.ts';
export { defineEventSourceKind, type EventSourceKind } from '../event/event-source-kind.ts';
export {
  type AttemptLimits,
  artifactRefusal,
  attemptLimitOptions,
  attemptLimits,
  outputCut,
} from '../executor/attempt-limits.ts';
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
  type GivenOptions,
  type OutputStream,
} from '../executor/executor.ts';
export { declaredMediaType } from '../executor/media-type.ts';
export type { FieldDescription, FieldDescriptions } from '../field/field-description.ts';
export {
  type Field,
  type FieldMeta,
  type Fields,
  fits,
  type JsonSchema,
  type Kind,
  type RowOf,
  type ValueOf,
} from '../field/field-meta.ts';
export { choice, count, flag, instant, integer, ref, refs, text, texts } from '../field/fields.ts';
export { readJson } from '../field/json-text.ts';
export { stableId, stableUuid } from '../field/stable-id.ts';
export { environmentKey, json, mapOf, optionalJson, type Scalar, scalar, settableKey } from '../field/structured.ts';
export { isPlainObject } from '../field/value-path.ts';
export type { Clock, Instant, Milliseconds } from '../loop/clock.ts';
export { fieldErrors, readField, throwIfInvalid } from '../records/input.ts';
export type { Actor } from '../resource/actor.ts';
export type { AnyResource } from '../resource/define-resource.ts';
export { isCiphertext, mask } from '../secret/ciphertext.ts';
export type { Tables } from '../store/store.ts';
export { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
export { startAtOrAfter } from '../time/cadence.ts';
export { formatInstant } from '../time/instant.ts';
export { zoneNamed } from '../time/zone.ts';
export {
  type AnyCommand,
  type Command,
  type CommandContext,
  type CommandOutput,
  defineCommand,
  type InputFile,
  type PlainRecord,
} from './command.ts';
export { type AnyPlugin, definePlugin, type Plugin, type PluginSetup } from './define-plugin.ts';
export type { Format, FormatContext, RecordShape, ResponseShape } from './format.ts';
export {
  type AnyImporter,
  defineImporter,
  type ImportEntry,
  type Importer,
  type ImportPlan,
  type ImportRecord,
  type ImportResult,
  type ImportReview,
  type ObsoleteRecord,
  type RecordReference,
  type StoredEntriesOf,
  type StoredEntry,
  type StoredRecord,
} from './importer.ts';
export type { PluginCore } from './plugin-core.ts';
export type { Link, ListLinks, ResponseLinks } from './response-links.ts';
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
