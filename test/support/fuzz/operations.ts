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

/** Lists the operations of an OpenAPI document, with its references resolved. */
// biome-ignore lint/suspicious/noExplicitAny: the document is untyped JSON.
export function operationsOf(document: any): Operation[] {
  const base = new URL(document.servers[0].url, 'http://localhost').pathname;
  const resolve = (item: Schema) =>
    item.$ref ? document.components[item.$ref.split('/').at(-2)][item.$ref.split('/').at(-1)] : item;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  return Object.entries<any>(document.paths).flatMap(([path, { servers, ...item }]) =>
    methods
      .filter((method) => item[method])
      .map((method) => {
        const { parameters = [], requestBody } = item[method];
        const resolved = parameters.map(resolve);
        const content = requestBody && resolve(requestBody).content['application/json'];
        return {
          method: method.toUpperCase(),
          path: servers === undefined ? `${base}${path}` : path,
          query: resolved.filter((parameter: Schema) => parameter.in === 'query'),
          headers: resolved
            .filter((parameter: Schema) => parameter.in === 'header')
            .map((parameter: Schema) => parameter.name),
          body: content ? { schema: content.schema, example: content.example } : null,
        };
      }),
  );
}
