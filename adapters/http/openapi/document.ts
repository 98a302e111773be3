import type { AnyResource, ApiDescription, JsonSchema, OpenApiDocument, Route } from '@horarium/core';
import { basePath } from '../base-path.ts';
import { errorResponses, problemSchema } from './error-responses.ts';
import { responseHeaders } from './headers.ts';
import { introduction } from './introduction.ts';
import { contentsOf, openapiOperation, pathOf } from './operation.ts';
import { recordSchemas } from './record-schemas.ts';

/** What the document is made of. */
interface DocumentParts extends Pick<ApiDescription, 'routes' | 'resources' | 'formats'> {
  readonly version: string;
  /** The URL of the service, without the base path; null where none is set. */
  readonly publicUrl: string | null;
}

/** Describes the API as an OpenAPI 3.1 document, which follows from the table of routes as a whole. */
export function describeApi({ version, resources, formats, publicUrl, ...parts }: DocumentParts): OpenApiDocument {
  const routes = parts.routes.filter(({ hidden }) => !hidden);
  const root = publicUrl?.replace(/\/+$/, '') ?? '';
  const paths = pathsOf({ routes, formats, resources }, root || '/');
  const components = {
    schemas: { Problem: problemSchema, ...Object.assign({}, ...resources.map(recordSchemas)) },
    responses: errorResponses((sample) => contentsOf(sample, formats, 'problem')),
    headers: responseHeaders,
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
    tags: tagsOf(routes, resources),
    security: [{ bearer: [] }, { basic: [] }],
    paths,
    components: { ...referencedComponents(paths, components), securitySchemes },
  };
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token, from /login or `horarium token:generate`.' },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'Login and password; read only if the request has no bearer token.',
  },
};

function pathsOf(
  { routes, formats, resources }: Pick<ApiDescription, 'routes' | 'formats' | 'resources'>,
  rootUrl: string,
): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = pathOf(route);
    paths[path] ??= route.atRoot ? { servers: [{ url: rootUrl }] } : {};
    paths[path][route.method.toLowerCase()] = openapiOperation(route, path, formats, resources);
  }
  return paths;
}

type Components = Readonly<Record<string, Readonly<Record<string, JsonSchema | object>>>>;

/** Selects the components that something refers to, starting from the paths. */
function referencedComponents(paths: object, components: Components): Components {
  const referenced = new Set<string>();
  const scan = (data: unknown): void => {
    if (Array.isArray(data)) data.forEach(scan);
    else if (typeof data === 'object' && data !== null)
      for (const [key, value] of Object.entries(data)) {
        if (key === '$ref' && typeof value === 'string') follow(value);
        else scan(value);
      }
  };
  const follow = (ref: string): void => {
    if (referenced.has(ref)) return;
    referenced.add(ref);
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(ref) ?? [];
    const component = components[kind]?.[name];
    if (!component) throw new Error(`The document has no component ${ref}.`);
    scan(component);
  };
  scan(paths);
  return Object.fromEntries(
    Object.entries(components).map(([kind, all]) => [
      kind,
      Object.fromEntries(Object.entries(all).filter(([name]) => referenced.has(`#/components/${kind}/${name}`))),
    ]),
  );
}

/** Tags that are not resources. */
const otherTags: Readonly<Record<string, string>> = {
  session: 'Signing in for a token, and revoking it.',
  service: 'The status of the service, and its endpoints.',
};

/** The tags that come first, because readers look for them. */
const firstTags = ['session', 'companies', 'apps', 'runtemplates', 'tasks', 'jobs'];

/** Lists the tags of all routes; those that only plugins use have no description. */
function tagsOf(routes: readonly Route[], resources: readonly AnyResource[]): { name: string; description: string }[] {
  const names = [...new Set(routes.map(({ shape }) => shape.tag))];
  const others = names.filter((name) => !firstTags.includes(name));
  const ordered = [...firstTags.filter((name) => names.includes(name)), ...others];
  return ordered.map((name) => {
    const resource = resources.find((each) => each.names.plural === name);
    return { name, description: otherTags[name] ?? resource?.description ?? '' };
  });
}
