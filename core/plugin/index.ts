import '../node-version.ts';

export * from '../errors.ts';
export * from '../event/event-source-kind.ts';
export * from '../executor/artifact-limits.ts';
export { contentTypeOf } from '../executor/content-type.ts';
export * from '../executor/executor.ts';
export { outputCut } from '../executor/output-cut.ts';
export type { Field, FieldMeta, Fields, JsonSchema, Kind, RowOf, ValueOf } from '../field/field-meta.ts';
export type { FieldRow, FieldTable } from '../field/field-table.ts';
export { binary, choice, count, flag, instant, integer, ref, refs, text, texts } from '../field/fields.ts';
export { json, mapOf, optionalJson } from '../field/structured.ts';
export type { Clock, Instant, Milliseconds } from '../loop/clock.ts';
export * from './define-plugin.ts';
export * from './format.ts';
export * from './response-links.ts';
export type {
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
export * from './visible-controls.ts';
