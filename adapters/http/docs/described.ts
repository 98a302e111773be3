import type { OpenApiDocument } from '@horarium/core';

/** The parts of an OpenAPI document that the page reads. */
export interface Described {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
  };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly servers: readonly { readonly url: string }[];
  readonly paths: OpenApiDocument['paths'];
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export type DescribedSchema = Readonly<Record<string, unknown>>;

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly schema: DescribedSchema;
  readonly example?: unknown;
}

export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: DescribedSchema; readonly example: unknown }>>;
}

export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: { readonly content: NonNullable<DescribedAnswer['content']> };
  readonly responses: Readonly<Record<string, DescribedAnswer | { readonly $ref: string }>>;
  /** It is not under the base path. */
  readonly outside: boolean;
}

const verbs: readonly string[] = ['get', 'post', 'delete'];

/** All operations of a document: lists first, then by path, reading before writing before deleting. */
export function operationsOf({ paths }: Described): DescribedOperation[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    verbs
      .filter((verb) => verb in item)
      .map((verb) => {
        const method = verb.toUpperCase();
        return { ...item[verb], method, path, outside: 'servers' in item } as DescribedOperation;
      }),
  );
  return all.sort(
    (one, other) => rank(one) - rank(other) || order(bare(one), bare(other)) || order(verb(one), verb(other)),
  );
}

/** What needs no id to be found comes first. */
function rank(operation: DescribedOperation): number {
  return operation.method === 'GET' && !bare(operation).includes('{') ? 0 : 1;
}

function bare({ path }: DescribedOperation): string {
  return path.replace('.{suffix}', '');
}

function verb({ method }: DescribedOperation): number {
  return verbs.indexOf(method.toLowerCase());
}

function order<T>(one: T, other: T): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** What a reference of the document points to; anything else as it is. */
export function resolved<T extends object>(document: Described, part: T): T {
  const { $ref: ref } = part as { readonly $ref?: string };
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(ref ?? '') ?? [];
  return ref === undefined ? part : (document.components[kind]?.[name] as T);
}
