import type { AnyResource, Format, JsonSchema, OpenApiDocument, Route } from '@horarium/core';
import { basePath } from '../routes/system-routes.ts';
import { chapters } from './chapters.ts';
import { contentsOf } from './contents.ts';
import { replyHeaders } from './headers.ts';
import { introduction } from './introduction.ts';
import { operationOf, pathOf } from './operation.ts';
import { recordSchemas } from './record-schemas.ts';
import { problemSchema, refusalResponses } from './refusals.ts';

export interface ApiDescription {
  readonly version: string;
  readonly routes: readonly Route[];
  readonly resources: readonly AnyResource[];
  readonly formats: readonly Format[];
  /** The URL that others reach the service by, without the base path; null = they know it. */
  readonly publicUrl: string | null;
}

/** The API as an OpenAPI 3.1 document: nothing in it is written twice, everything follows from the table of routes. */
export function describeApi({ version, routes, resources, formats, publicUrl }: ApiDescription): OpenApiDocument {
  const root = publicUrl?.replace(/\/+$/, '') ?? '';
  const paths = pathsOf({ routes, formats, resources }, root || '/');
  const parts = {
    schemas: { Problem: problemSchema, ...Object.assign({}, ...resources.map(recordSchemas)) },
    responses: refusalResponses((sample) => contentsOf(sample, formats, 'problem')),
    headers: replyHeaders,
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Horarium',
      version,
      summary: 'Knows what was owed, and whether it was done in time.',
      description: introduction(formats),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: root + basePath }],
    tags: chapters(routes, resources),
    security: [{ bearer: [] }, { basic: [] }],
    paths,
    components: { ...used(paths, parts), securitySchemes },
  };
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token, from /login or `horarium token:generate`.' },
  basic: { type: 'http', scheme: 'basic', description: 'Login and password; only where no bearer token is given.' },
};

function pathsOf(
  { routes, formats, resources }: Pick<ApiDescription, 'routes' | 'formats' | 'resources'>,
  outside: string,
): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = pathOf(route);
    paths[path] ??= route.atRoot ? { servers: [{ url: outside }] } : {};
    (paths[path] as Record<string, object>)[route.method.toLowerCase()] = operationOf(route, path, formats, resources);
  }
  return paths;
}

type Parts = Readonly<Record<string, Readonly<Record<string, JsonSchema | object>>>>;

/** Only the parts that something refers to, from the paths on. */
function used(paths: object, parts: Parts): Parts {
  const wanted = new Set<string>();
  const look = (data: unknown): void => {
    if (Array.isArray(data)) data.forEach(look);
    else if (typeof data === 'object' && data !== null)
      for (const [key, value] of Object.entries(data)) {
        if (key === '$ref' && typeof value === 'string') follow(value);
        else look(value);
      }
  };
  const follow = (ref: string): void => {
    if (wanted.has(ref)) return;
    wanted.add(ref);
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(ref) ?? [];
    const part = parts[kind]?.[name];
    if (!part) throw new Error(`Nothing in the API's description is called ${ref}.`);
    look(part);
  };
  look(paths);
  return Object.fromEntries(
    Object.entries(parts).map(([kind, all]) => [
      kind,
      Object.fromEntries(Object.entries(all).filter(([name]) => wanted.has(`#/components/${kind}/${name}`))),
    ]),
  );
}
