import type { JsonSchema, OpenApiDocument } from '@horarium/core/plugin';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface ApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly example: unknown }>>;
}

/** An operation of the document with its method and path. */
export interface ApiOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: NonNullable<ApiResponse['content']> };
  readonly responses: Readonly<Record<string, ApiResponse | { readonly $ref: string }>>;
  /** Not under the base path. */
  readonly atRoot: boolean;
}

const methods: readonly string[] = ['get', 'post', 'delete'];

/** All operations of a document: lists first, then by path, with reading before writing before deleting. */
export function operationsOf({ paths }: Pick<OpenApiDocument, 'paths'>): ApiOperation[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    methods
      .filter((method) => method in item)
      .map(
        (method) =>
          ({ ...item[method], method: method.toUpperCase(), path, atRoot: 'servers' in item }) as ApiOperation,
      ),
  );
  return all.sort(
    (one, other) =>
      rankOf(one) - rankOf(other) || compare(barePath(one), barePath(other)) || methodRank(one) - methodRank(other),
  );
}

/** Operations that need no id come first. */
function rankOf(operation: ApiOperation): number {
  return operation.method === 'GET' && !barePath(operation).includes('{') ? 0 : 1;
}

function barePath({ path }: ApiOperation): string {
  return path.replace('.{suffix}', '');
}

function methodRank({ method }: ApiOperation): number {
  return methods.indexOf(method.toLowerCase());
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The component that a reference points to; anything else as it is. */
export function resolve<T extends object>(document: Pick<OpenApiDocument, 'components'>, part: T): T {
  const { $ref: ref } = part as { readonly $ref?: string };
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(ref ?? '') ?? [];
  return ref === undefined ? part : (document.components[kind]?.[name] as T);
}
