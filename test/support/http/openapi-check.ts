import type { IncomingHttpHeaders } from 'node:http';
import type { OpenApiDocument } from '@horarium/core';
import { parse as parseYaml } from 'yaml';
import { errorName } from '../../../adapters/http/openapi/error-responses.ts';
import { readXml } from '../formats/read-xml.ts';
import { type DocumentPath, DocumentSchemas } from './document-schemas.ts';

interface SentRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
}

interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Header {
  readonly required?: boolean;
}

/** The statuses that a path without a described operation may have. */
const unrouted: ReadonlySet<number> = new Set([400, 401, 403, 404, 429, 500, 503]);
/** Paths that redirect to an endpoint. */
const redirects: ReadonlySet<string> = new Set(['/', '/api/v1', '/api/v1/']);
/** Headers of every response; all others must be described. */
const general = new Set([
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
  ...['cache-control', 'content-security-policy', 'cross-origin-resource-policy', 'referrer-policy'],
  ...['strict-transport-security', 'vary', 'x-content-type-options', 'x-frame-options'],
  ...['access-control-allow-origin', 'access-control-expose-headers'],
]);

/** Compares responses with an OpenAPI document: status, content type, headers, body. */
export class OpenApiCheck {
  /** Operations and statuses that occurred, as `listApps 200`. */
  readonly occurred = new Set<string>();
  /** Operations and statuses that the document describes. */
  readonly described: ReadonlySet<string>;
  readonly #schemas: DocumentSchemas;
  readonly #general: ReadonlySet<string>;
  /** The last body that was found right, by its place in the document: a list that is polled is often the same again. */
  readonly #right = new Map<string, string>();
  readonly #paths: readonly {
    readonly pattern: RegExp;
    /** The same with ids that may be missing: `/app//`. */
    readonly gaps: RegExp;
    readonly operations: Readonly<Record<string, Operation>>;
  }[];

  /** @param more headers that a format of the test adds. */
  constructor(document: OpenApiDocument, more: readonly string[] = []) {
    this.#general = new Set([...general, ...more]);
    this.#schemas = DocumentSchemas.of(document);
    this.#paths = Object.entries(document.paths).map(([path, { servers, ...methods }]) => {
      const operations = Object.entries(methods as Record<string, Pick<Operation, 'operationId' | 'responses'>>);
      const whole = servers === undefined ? `/api/v1${path}` : path;
      return {
        pattern: patternOf(whole, '+'),
        gaps: patternOf(whole, '*'),
        operations: Object.fromEntries(
          operations.map(([verb, operation]) => [verb, { ...operation, location: ['paths', path, verb] }]),
        ),
      };
    });
    this.described = new Set(
      this.#paths.flatMap(({ operations }) =>
        Object.values(operations).flatMap(({ operationId, responses }) =>
          Object.keys(responses).map((status) => `${operationId} ${status}`),
        ),
      ),
    );
  }

  /** @throws Error naming what in the response the document does not describe. */
  check({ method, path }: SentRequest, { status, headers, text }: ReceivedResponse): void {
    const [bare = ''] = path.split('?');
    const refuse: Refuse = (what) =>
      new Error(`${method} ${path} returned ${status}, but ${what}: ${text.slice(0, 1000)}`);
    const responsePath = this.#findResponse(method, bare, status, refuse);
    if (!responsePath) return;
    const { location, part } = this.#schemas.at(responsePath) as NonNullable<ReturnType<DocumentSchemas['at']>>;
    this.#checkHeaders([...location, 'headers'], (part['headers'] ?? {}) as Record<string, Header>, headers, refuse);
    if (method === 'HEAD') return;
    const content = part['content'] as Record<string, object> | undefined;
    if (content) this.#checkBody([...location, 'content'], content, headers, text, refuse);
    else if (text !== '') throw refuse('it has a body where none is described');
  }

  /** Whether the document has a path like that. */
  describes(path: string): boolean {
    return this.#paths.some(({ gaps }) => gaps.test(decoded(path)));
  }

  /** Finds a response in the document; null for redirects and preflight responses, which have no body to check. */
  #findResponse(method: string, path: string, status: number, refuse: Refuse): DocumentPath | null {
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    // Sessions reach the routes of the API, which are described once, beneath a path of their own.
    const plain = decoded(path).replace(/^\/console\/api\/(?!session$)/, '/api/v1/');
    const exact = this.#paths.filter(({ pattern }) => pattern.test(plain));
    const fitting = exact.length > 0 ? exact : this.#paths.filter(({ gaps }) => gaps.test(plain));
    const paths = status === 405 ? fitting : fitting.filter((each) => verb in each.operations).slice(0, 1);
    const operations = paths.flatMap((each) =>
      status === 405 ? Object.values(each.operations) : (each.operations[verb] ?? []),
    );
    const [operation] = operations;
    if (!operation) {
      if (method === 'OPTIONS' && status === 204) return null;
      if (status === 302 && redirects.has(path)) return null;
      if (!unrouted.has(status)) throw refuse('nothing is described there');
      return ['components', 'responses', errorName(status)];
    }
    const { operationId, location } = operation;
    const responsePath = [...location, 'responses', String(status)];
    if (!this.#schemas.at(responsePath)) throw refuse(`${operationId} does not describe that status`);
    for (const each of operations) this.occurred.add(`${each.operationId} ${status}`);
    return responsePath;
  }

  #checkHeaders(
    location: DocumentPath,
    said: Record<string, Header>,
    headers: IncomingHttpHeaders,
    refuse: Refuse,
  ): void {
    const names = new Set(Object.keys(said).map((name) => name.toLowerCase()));
    const silent = Object.keys(headers).find((name) => !this.#general.has(name) && !names.has(name));
    if (silent !== undefined) throw refuse(`it does not describe the header ${silent}`);
    for (const name of Object.keys(said)) {
      const header = this.#schemas.at([...location, name]) as NonNullable<ReturnType<DocumentSchemas['at']>>;
      const given = headers[name.toLowerCase()];
      if (given === undefined && header.part['required'] === true) throw refuse(`the header ${name} is missing`);
      // Node keeps each `Set-Cookie` apart.
      for (const value of [given ?? []].flat())
        this.#validate([...header.location, 'schema'], value, `its header ${name}`, refuse);
    }
  }

  #checkBody(
    location: DocumentPath,
    content: Readonly<Record<string, object>>,
    headers: IncomingHttpHeaders,
    text: string,
    refuse: Refuse,
  ): void {
    const mime = headers['content-type']?.split(';')[0] ?? '';
    const range = mime in content ? mime : '*/*';
    if (!(range in content)) throw refuse(`its content type ${mime} is not described`);
    const read = readers.find(([pattern]) => pattern.test(mime))?.[1];
    if (!read || range !== mime) return;
    const schema = [...location, mime, 'schema'];
    const place = schema.join(' ');
    if (this.#right.get(place) === text) return;
    this.#validate(schema, read(text), 'its body', refuse);
    this.#right.set(place, text);
  }

  #validate(location: DocumentPath, value: unknown, what: string, refuse: Refuse): void {
    const faults = this.#schemas.faults(location, value);
    if (faults !== null) throw refuse(`${what} is wrong (${faults})`);
  }
}

type Refuse = (what: string) => Error;

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, object>>;
  readonly location: DocumentPath;
}

/** Content types whose bodies parse back to the data that they were written from. */
const readers: readonly (readonly [RegExp, (text: string) => unknown])[] = [
  [/\bjson$/, (text) => JSON.parse(text)],
  [/\byaml$/, (text) => parseYaml(text)],
  [/\bxml$/, (text) => readXml(text).value],
];

/** Decodes a path as the router does: an encoded slash separates no segments. */
function decoded(path: string): string {
  try {
    return path
      .split('/')
      .map((word) => decodeURIComponent(word).replaceAll('/', '%2F'))
      .join('/');
  } catch {
    return path;
  }
}

/** Matches the paths of a template: ids contain no slash or dot, the suffix is optional, and so is a final slash. */
function patternOf(path: string, length: '+' | '*'): RegExp {
  const bare = path.replace(/\.\{suffix\}$/, '');
  const source = bare.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, `[^/.]${length}`);
  return new RegExp(`^${source}${bare === path ? '' : '(?:\\.[^/]*)?'}/?$`);
}
