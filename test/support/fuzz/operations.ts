import type { Schema } from './arbitrary/schema-values.ts';

/** The parts of an OpenAPI operation that a request depends on. */
export interface Operation {
  readonly method: string;
  /** The path template, such as `/api/v1/job/{id}.json`. */
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
  const resolve = (item: Schema) => (item.$ref ? referenced(document, item.$ref) : item);
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
          // A path with servers of its own is outside the base path.
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

/** Returns the component that a reference such as `#/components/schemas/Job` names. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
function referenced(document: any, reference: string): any {
  const [kind, name] = reference.split('/').slice(-2) as [string, string];
  return document.components[kind][name];
}
