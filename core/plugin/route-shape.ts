import type { JsonSchema } from '../field/field-meta.ts';
import type { Verb } from '../resource/permissions.ts';

/**
 * The description of what a route accepts and returns, as data: OpenAPI, the docs page and the tests are made of it.
 */
export interface RouteShape {
  /** The OpenAPI `operationId`: clients generated from the document call it so, such as `listApps`. */
  readonly operation: string;
  /** The OpenAPI tag: the chapter of the documentation. */
  readonly tag: string;
  /** Every query parameter that the route knows; others are refused with 400. @default none */
  readonly parameters?: Readonly<Record<string, ParameterShape>>;
  /** The parameters of the path that are no ids, by name. @default ids */
  readonly pathParameters?: Readonly<Record<string, Omit<ParameterShape, 'required'>>>;
  /** The headers that the route itself reads, by name. @default none */
  readonly headers?: Readonly<Record<string, ParameterShape>>;
  readonly requestBody?: BodyShape;
  /** Responses of requests that succeed, by status. Those of errors follow from the rest. */
  readonly responses: Readonly<Record<number, ReplyShape>>;
  /** Statuses of errors beyond those that every route of its kind has. */
  readonly errors?: readonly number[];
  /** The conditional headers that the route evaluates: `If-Match`, and `If-None-Match: *` where it creates. */
  readonly preconditions?: readonly ('If-Match' | 'If-None-Match')[];
  /** `admin` = the role admin; left out where every user who can sign in may call it. */
  readonly right?: Right | 'admin';
  /**
   * Whether the route accepts `?dry_run=true`, which rolls its change back: then it makes all of its changes by
   * `inTransaction`. @default false
   */
  readonly dryRun?: boolean;
  /** Whether the route reads Basic credentials itself, and no others. @default false */
  readonly basicOnly?: boolean;
}

/** The permission that a route needs: verbs on the records of one resource. */
export interface Right {
  readonly resource: string;
  /** Several where the request decides. */
  readonly verbs: readonly Verb[];
  /** Whether users without it may change something of their own, such as their password. @default false */
  readonly orOwn?: boolean;
}

export interface ParameterShape {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
  /** @default false */
  readonly required?: boolean;
}

/** A request body, as JSON or as a form. */
export interface BodyShape {
  readonly schema: JsonSchema;
  readonly example: unknown;
  /** Whether a request may have no body. @default false */
  readonly optional?: boolean;
}

/** One response of a route. */
export interface ReplyShape {
  readonly description: string;
  /** Written in the format of the suffix; left out where there is no body, or one of another content type. */
  readonly body?: Sample;
  /** Bodies of other content types, by content type. */
  readonly otherContent?: Readonly<Record<string, Sample>>;
  readonly headers?: readonly ReplyHeader[];
}

/** A schema with one example of it. */
export interface Sample {
  readonly schema: JsonSchema;
  readonly example: unknown;
}

export type ReplyHeader =
  | 'ETag'
  | 'Link'
  | 'Location'
  | 'X-Total-Count'
  | 'Content-Disposition'
  | 'Set-Cookie'
  | 'Warning';
