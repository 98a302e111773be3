import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse as parseYaml } from 'yaml';
import { type Described, type DescribedAnswer, resolved } from '../../adapters/http/docs/described.ts';
import type { OpenApi } from '../../adapters/http/openapi/document.ts';

interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface DescribedReply {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

/** What may come where nothing is described: paths that lead nowhere, methods that a path does not know. */
const unrouted: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 429, 503]);
/** Headers that mean something, so that each answer which has one must say so. */
const telling = ['etag', 'link', 'location', 'x-total-count'];

/** Compares answers with an OpenAPI document: status, content type, headers, body. */
export class AnswerCheck {
  /** Operations and statuses that came, as `listApps 200`. */
  readonly came = new Set<string>();
  readonly #document: Described;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<object, ValidateFunction>();
  readonly #paths: readonly {
    readonly pattern: RegExp;
    readonly operations: Readonly<Record<string, DescribedReply>>;
  }[];

  constructor(document: OpenApi) {
    this.#document = document as unknown as Described;
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(this.#ajv);
    this.#paths = Object.entries(document.paths).map(([path, { servers, ...operations }]) => ({
      pattern: patternOf(servers === undefined ? `/api/v1${path}` : path),
      operations: operations as unknown as Readonly<Record<string, DescribedReply>>,
    }));
  }

  /** Everything that the document says may come when all is well, as `listApps 200`. */
  get described(): string[] {
    return this.#paths.flatMap(({ operations }) =>
      Object.values(operations).flatMap(({ operationId, responses }) =>
        Object.entries(responses)
          .filter(([, answer]) => !('$ref' in answer))
          .map(([status]) => `${operationId} ${status}`),
      ),
    );
  }

  /** @throws Error that says in what the answer is not as the document describes it. */
  check({ method, path }: Asked, { status, headers, text }: Answered): void {
    const [bare = ''] = path.split('?');
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = this.#paths.find(({ pattern, operations }) => pattern.test(bare) && operations[verb])?.operations[
      verb
    ];
    const place = `${method} ${path} answered ${status}`;
    const refuse = (what: string) => new Error(`${place}, but ${what}: ${text.slice(0, 1000)}`);
    if (method === 'OPTIONS' && status === 204) return;
    if (!operation) {
      if (!unrouted.has(status)) throw refuse('nothing is described there');
      this.#checkBody(this.#problem, headers, method, text, refuse);
      return;
    }
    const said = operation.responses[status];
    if (!said) throw refuse(`${operation.operationId} does not describe that status`);
    if (!('$ref' in said)) this.came.add(`${operation.operationId} ${status}`);
    const answer = resolved(this.#document, said);
    this.#checkHeaders(answer, headers, refuse);
    this.#checkBody(answer, headers, method, text, refuse);
  }

  get #problem(): DescribedAnswer {
    return resolved(this.#document, { $ref: '#/components/responses/NotFound' } as unknown as DescribedAnswer);
  }

  #checkHeaders({ headers: said = {} }: DescribedAnswer, headers: IncomingHttpHeaders, refuse: Refuse): void {
    const names = Object.keys(said).map((name) => name.toLowerCase());
    const silent = telling.find((name) => name in headers && !names.includes(name));
    if (silent !== undefined) throw refuse(`it does not describe the header ${silent}`);
    for (const [name, reference] of Object.entries(said)) {
      const given = headers[name.toLowerCase()];
      if (given === undefined && name !== 'Link') throw refuse(`the header ${name} is missing`);
      const { schema } = resolved(this.#document, reference as { schema: object });
      if (given !== undefined) this.#validate(schema, given, `its header ${name}`, refuse);
    }
  }

  #checkBody(
    { content }: DescribedAnswer,
    headers: IncomingHttpHeaders,
    method: string,
    text: string,
    refuse: Refuse,
  ): void {
    if (method === 'HEAD') return;
    if (!content) {
      if (text !== '') throw refuse('it has a body where none is described');
      return;
    }
    const mime = headers['content-type']?.split(';')[0] ?? '';
    const sample = content[mime] ?? content['*/*'];
    if (!sample) throw refuse(`its content type ${mime} is not described`);
    if (/\bjson$/.test(mime)) this.#validate(sample.schema, JSON.parse(text), 'its body', refuse);
    else if (/\byaml$/.test(mime)) this.#validate(sample.schema, parseYaml(text), 'its body', refuse);
  }

  #validate(schema: object, value: unknown, what: string, refuse: Refuse): void {
    const { components } = this.#document;
    const validate = this.#compiled.get(schema) ?? this.#ajv.compile({ ...schema, components });
    this.#compiled.set(schema, validate);
    if (!validate(value)) throw refuse(`${what} is wrong (${this.#ajv.errorsText(validate.errors)})`);
  }
}

type Refuse = (what: string) => Error;

/** Ids are anything but slashes and dots; a suffix and its dot may be left out, a slash may follow. */
function patternOf(path: string): RegExp {
  const bare = path.replace(/\.\{suffix\}$/, '');
  const source = bare.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/.]+');
  return new RegExp(`^${source}${bare === path ? '' : '(?:\\.[^/]*)?'}/?$`);
}
