import type { JsonSchema } from '@horarium/core';
import type { Right } from '../openapi/rights.ts';

/** What one row of the API takes and gives, as data: its documentation is made of it. */
export interface RouteShape {
  /** What clients made from the documentation call it: `listApps`. */
  readonly operation: string;
  /** Where it stands in the documentation. */
  readonly tag: string;
  /** Each query parameter that the row knows. */
  readonly parameters?: Readonly<Record<string, ParameterShape>>;
  readonly requestBody?: BodyShape;
  /** What it answers when all is well, by status. Refusals follow from the rest. */
  readonly responses: Readonly<Record<number, ReplyShape>>;
  /** Statuses of refusals beyond those that every row like it has. */
  readonly errors?: readonly number[];
  /** It heeds `If-Match`, and where something new is written `If-None-Match: *`. */
  readonly preconditions?: readonly ('If-Match' | 'If-None-Match')[];
  /** Left out where everybody who can sign in may do it. */
  readonly right?: Right;
  /** It takes Basic credentials, though the row itself looks at them. */
  readonly basicOnly?: boolean;
}

export interface ParameterShape {
  readonly note: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly required?: boolean;
}

/** A body, as JSON or as a form. */
export interface BodyShape {
  readonly schema: JsonSchema;
  readonly example: unknown;
  /** Whether it may be left out. */
  readonly optional?: boolean;
}

export interface ReplyShape {
  /** What it means that this comes. */
  readonly note: string;
  /** Written in the format of the suffix; left out where there is no body, or one of another kind. */
  readonly body?: Sample;
  /** Bodies of other kinds, by their content type. */
  readonly others?: Readonly<Record<string, Sample>>;
  readonly headers?: readonly ReplyHeader[];
}

export interface Sample {
  readonly schema: JsonSchema;
  readonly example: unknown;
}

/** What each entry of a list has, as its sample says: the columns of one that is empty. */
export function columnsOf(sample: Sample | undefined): string[] {
  const { properties = {} } = (sample?.schema['items'] ?? {}) as { properties?: object };
  return Object.keys(properties);
}

export type ReplyHeader = 'ETag' | 'Link' | 'Location' | 'X-Total-Count' | 'Content-Disposition';

/** A schema that is written once, under a name of its own. */
export function schemaNamed(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object that has all of these members, and no others. */
export function objectOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
