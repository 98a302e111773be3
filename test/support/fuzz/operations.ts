import type { Schema } from './arbitrary/schema-values.ts';

/** The parts of an OpenAPI operation that a request depends on. */
export interface Operation {
  readonly method: string;
  /** The path template with the base path. */
  readonly path: string;
  readonly query: readonly { readonly name: string; readonly schema: Schema }[];
  readonly headers: readonly string[];
  readonly body: { readonly schema: Schema; readonly example: unknown } | null;
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

// biome-ignore lint/suspicious/noExplicitAny: the document is untyped JSON.
export function operationsOf(document: any): Operation[] {
  const base = new URL(document.servers[0].url, 'http://localhost').pathname;
  const given = (each: Schema) =>
    each.$ref ? document.components[each.$ref.split('/').at(-2)][each.$ref.split('/').at(-1)] : each;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  return Object.entries<any>(document.paths).flatMap(([path, { servers, ...item }]) =>
    methods
      .filter((method) => item[method])
      .map((method) => {
        const { parameters = [], requestBody } = item[method];
        const all = parameters.map(given);
        const content = requestBody && given(requestBody).content['application/json'];
        return {
          method: method.toUpperCase(),
          path: servers === undefined ? `${base}${path}` : path,
          query: all.filter((each: Schema) => each.in === 'query'),
          headers: all.filter((each: Schema) => each.in === 'header').map((each: Schema) => each.name),
          body: content ? { schema: content.schema, example: content.example } : null,
        };
      }),
  );
}
