import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  hostileJson,
  hostileText,
  injectedHeader,
  marker,
  RawJson,
  writeEntries,
  writeJson,
} from './hostile-values.ts';
import type { Operation } from './operations.ts';
import type { Framing, RawRequest } from './raw-request.ts';
import { type Schema, SchemaValues } from './schema-values.ts';

type Header = readonly [string, string];
/** Its body, and the headers that tell of it. */
type Content = { readonly bytes: Uint8Array; readonly headers: readonly Header[] };

const suffixes = ['json', 'xml', 'yaml', 'csv', 'html'];
const oddSuffixes = ['tar.gz', 'exe', 'JSON', 'json.json', 'json%00'];

const utf8 = (text: string) => Buffer.from(text.toWellFormed());

/** Requests that an OpenAPI document describes, and all that can be wrong with them. */
export class AnyRequest {
  readonly #operations: readonly Operation[];
  readonly #values: SchemaValues;
  readonly #people: readonly string[];

  constructor(operations: readonly Operation[], schemas: Readonly<Record<string, Schema>>, people: readonly string[]) {
    this.#operations = operations;
    this.#values = new SchemaValues(schemas);
    this.#people = people;
  }

  get arbitrary(): fc.Arbitrary<RawRequest> {
    return fc.oneof(...this.#operations.map((operation) => this.#to(operation)));
  }

  #to(operation: Operation): fc.Arbitrary<RawRequest> {
    return fc
      .record({
        method: mostly(15, operation.method, fc.constantFrom(...methods)),
        path: this.#path(operation),
        search: this.#search(operation),
        version: mostly(60, 'HTTP/1.1', fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTTP/1.1 x', '')),
        who: this.#who,
        headers: this.#headers(operation),
        content: this.#content(operation),
        framing: mostly<Framing>(20, 'length', fc.constantFrom(...framings)),
      })
      .map(({ path, search, headers, content, ...request }) => ({
        ...request,
        target: path + search,
        headers: [...headers, ...(content?.headers ?? [])],
        body: content?.bytes ?? null,
      }));
  }

  get #who(): fc.Arbitrary<string | null> {
    return fc.oneof(
      { weight: 10, arbitrary: fc.constantFrom(...this.#people) },
      // Who may do most gets furthest.
      { weight: 8, arbitrary: fc.constantFrom(...this.#people.slice(0, 2)) },
      { weight: 1, arbitrary: fc.constant(null) },
    );
  }

  #path({ path }: Operation): fc.Arbitrary<string> {
    const parts = path.split(/(\{\w+\})/).filter((part) => part !== '');
    const filled = fc
      .tuple(
        ...parts.map((part) => {
          if (part === '{suffix}') return mostly(20, fc.constantFrom(...suffixes), fc.constantFrom(...oddSuffixes));
          return part.startsWith('{') ? pathWord : fc.constant(part);
        }),
      )
      .map((words) => words.join(''));
    return mostly(14, filled, filled.chain(trick));
  }

  #search({ query }: Operation): fc.Arbitrary<string> {
    const value = (schema: Schema) => mostly(3, this.#values.of(schema).map(String), hostileText).map(encoded);
    const pairs: fc.Arbitrary<string>[] = [
      ...query.map(({ name, schema }) => value(schema).map((text) => `${name}=${text}`)),
      fc.tuple(hostileText, hostileText).map(([name, text]) => `${encoded(name)}=${encoded(text)}`),
      fc.constantFrom('-id', 'id', '-created_at', 'name', 'enabled', '-scheduled_at').chain(cursors),
      fc.constantFrom('limit=all', 'cascade=true', '%zz=%', '=', '&&', 'a[b]=c', '__proto__=1', 'limit=1&limit=2'),
    ];
    const most = query.length > 0 ? 3 : 1;
    return mostly(
      query.length > 0 ? 1 : 6,
      '',
      fc.array(fc.oneof(...pairs), { maxLength: most }).map((all) => (all.length > 0 ? `?${all.join('&')}` : '')),
    );
  }

  #headers({ headers }: Operation): fc.Arbitrary<readonly Header[]> {
    const known = headers.map((name) =>
      fc
        .oneof(fc.constantFrom('*', '"v1"', 'W/"v1"', '"v99999999999999999"', 'key-1'), headerText)
        .map((value): Header => [name, value]),
    );
    const one = fc.oneof(
      ...known,
      fc.constantFrom(...oddHeaders),
      fc.tuple(fc.constantFrom(...headerNames), headerText).map(([name, value]): Header => [name, value]),
    );
    const host = mostly<Header>(
      25,
      ['Host', 'localhost'],
      fc.constantFrom(...hosts).map((name): Header => ['Host', name]),
    );
    return fc.tuple(host, mostly(4, [], fc.array(one, { maxLength: 3 }))).map(([first, more]) => [first, ...more]);
  }

  #content({ body, method }: Operation): fc.Arbitrary<Content | null> {
    const garbage = fc.oneof(
      hostileJson.map((value) => utf8(writeJson(value))),
      fc.uint8Array({ maxLength: 60 }),
      brokenText,
    );
    const any = fc.oneof(garbage, bombs).map((bytes): Content => ({ bytes, headers: [] }));
    const typed = fc.tuple(any, contentHeaders).map(([{ bytes }, headers]) => ({ bytes, headers }));
    if (!body) return mostly<Content | null>(method === 'GET' ? 20 : 4, null, typed);
    const entries = this.#entries(body);
    const asJson = entries.map((each): Content => ({ bytes: utf8(writeEntries(each)), headers: [json] }));
    const asForm = entries.map((each): Content => ({ bytes: utf8(formOf(each)), headers: [form] }));
    const asSchema = this.#values
      .of(body.schema)
      .map((value): Content => ({ bytes: utf8(writeJson(value)), headers: [json] }));
    const oddly = fc.tuple(asJson, contentHeaders).map(([{ bytes }, headers]) => ({ bytes, headers }));
    const rubbish = garbage.map((bytes): Content => ({ bytes, headers: [json] }));
    return fc.oneof(
      { weight: 10, arbitrary: asJson },
      { weight: 4, arbitrary: asSchema },
      { weight: 3, arbitrary: asForm },
      { weight: 3, arbitrary: rubbish },
      { weight: 2, arbitrary: oddly },
      { weight: 1, arbitrary: typed },
      { weight: 1, arbitrary: fc.constant(null) },
    );
  }

  /** The document's own example of a body, with some of its fields wrong, doubled, left out or added. */
  #entries({ schema, example }: NonNullable<Operation['body']>): fc.Arbitrary<[string, unknown][]> {
    const properties = Object.entries(this.#values.resolve(schema).properties ?? {});
    const value = (each: unknown) => mostly(2, this.#values.of(each), hostileJson);
    const changes = fc.array(
      fc.oneof(
        ...properties.map(([name, each]) => value(each).map((given): [string, unknown] => [name, given])),
        fc.tuple(hostileText, hostileJson),
        fc.constantFrom<[string, unknown]>(
          ['__proto__', { admin: true }],
          ['id', new RawJson('1e400')],
          ['name', undefined],
        ),
      ),
      { maxLength: 3 },
    );
    const original = Object.entries((example ?? {}) as object);
    return fc.tuple(changes, mostly(20, true, fc.constant(false))).map(([changed, replacing]) => {
      const kept = replacing ? original.filter(([name]) => !changed.some(([each]) => each === name)) : original;
      return [...kept, ...changed].filter(([, each]) => each !== undefined);
    });
  }
}

/** Nearly always the first: once in that many times the other. */
function mostly<T>(times: number, usual: T | fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  const first = usual instanceof fc.Arbitrary ? usual : fc.constant(usual);
  return fc.oneof({ weight: times, arbitrary: first }, { weight: 1, arbitrary: odd });
}

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'QUERY',
  'get',
  'FUZZ',
  '',
];
const framings: readonly Framing[] = ['chunked', 'too short', 'too long', 'both', 'broken chunk', 'no length'];

const pathWord = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(1, 1, 2, 2, 3, 4, 5, 6, 7).map(String) },
  { weight: 2, arbitrary: hostileText.map(encoded) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '0',
      '-1',
      '01',
      '1e3',
      '9007199254740993',
      '%00',
      '%2e%2e',
      '..',
      '.',
      '%2F',
      '1%2F2',
      '%',
      '%zz',
      '%C0%AF',
      'é',
      ' ',
      '\t',
      'x'.repeat(10_000),
    ),
  },
);

function trick(path: string): fc.Arbitrary<string> {
  return fc.constantFrom(
    `/${path}`,
    path.replaceAll('/', '//'),
    path.replace('/api', '/%61pi'),
    path.replaceAll('/', '%2f'),
    `/x/..${path}`,
    `/x/%2e%2e${path}`,
    `${path}/`,
    `${path}//`,
    `${path}/../..`,
    `${path}/%2e%2e/%2e%2e`,
    `${path};jsessionid=1`,
    `${path}%00`,
    `${path}.`,
    `${path}..`,
    `${path}#fragment`,
    `${path}/${'a'.repeat(10_000)}`,
    `${path}/${'a/'.repeat(3000)}`,
    `http://localhost${path}`,
    `http://evil.example${path}`,
    `http://user:pass@localhost${path}`,
    `//evil.example${path}`,
    `\\\\evil.example${path}`,
    path.toUpperCase(),
    '*',
    '',
    '/',
  );
}

/** As it stands in a query or path; half a surrogate pair cannot be, so it becomes what its bytes would be. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The end of a page in that order that no page ever had. */
function cursors(order: string): fc.Arbitrary<string> {
  const name = order.replace('-', '');
  const direction = order === name ? 'asc' : 'desc';
  const values = fc.constantFrom<unknown>(null, 1, 1e300, -1, 'a', '\0\ud800', true, {}, [], '1970-01-01');
  const cursor = (value: unknown) =>
    btoa(encodeURIComponent(JSON.stringify([`${direction} ${name}`, value, 5]).toWellFormed()));
  return values.map((value) => `order=${order}&after=${cursor(value)}`);
}

const headerText = hostileText.map((text) => text.toWellFormed().slice(0, 20_000));
const headerNames = [
  'X-Request-Id',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Origin',
  'Sec-Fetch-Site',
  'Accept',
  'Cookie',
  'Referer',
  'Last-Event-ID',
  'X-Forwarded-For',
  'X-HTTP-Method-Override',
  'Range',
  'Authorization',
];
const oddHeaders: readonly Header[] = [
  ['Origin', 'https://evil.example'],
  ['Origin', 'null'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['X-Forwarded-For', '1.2.3.4, ::1'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-Host', 'evil.example'],
  ['Forwarded', 'for=1.2.3.4;proto=https'],
  ['Authorization', 'Bearer hor_nonsense'],
  ['Authorization', 'Basic OnBhc3M='],
  ['Authorization', 'Basic ____'],
  ['Authorization', `Basic ${Buffer.from('admin:\0').toString('base64')}`],
  ['Authorization', `Digest ${'x'.repeat(5000)}`],
  ['Expect', '100-continue'],
  ['Expect', 'miracles'],
  ['Upgrade', 'websocket'],
  ['Upgrade', 'h2c'],
  ['Idempotency-Key', 'the same'],
  ['If-Match', '"v1", "v2"'],
  ['X-Request-Id', `a\r\n${injectedHeader}: 1`],
  ['X-Bare', `a\n${injectedHeader}: 1`],
  ['X-Folded', `a\r\n ${marker}`],
  ['X Space', 'a'],
  ['', 'no name'],
  ['__proto__', 'x'],
  ['X-Smuggled', 'a\r\n\r\nGET /api/v1/users.json HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['Content-Length', '-1'],
  ['Content-Length', '99999999999999999999'],
  ['Transfer-Encoding', 'gzip, chunked'],
  ['Transfer-Encoding', 'identity'],
  ['X-Long', 'x'.repeat(17_000)],
];

const hosts = [
  '',
  '[bad',
  'a b',
  'localhost:99999999',
  'localhost:x',
  'evil.example',
  '[::1]',
  'horarium.local',
  `${'h'.repeat(5000)}`,
  'localhost\0',
  'user@localhost',
  'localhost/..',
  '127.0.0.1:80:80',
  'é',
  '%6cocalhost',
  'localhost\r\nHost: other',
];

const json: Header = ['Content-Type', 'application/json'];
const form: Header = ['Content-Type', 'application/x-www-form-urlencoded'];

const contentHeaders: fc.Arbitrary<readonly Header[]> = fc.oneof(
  fc.constantFrom<readonly Header[]>(
    [],
    [form],
    [['Content-Type', 'application/json; charset=utf-16']],
    [['Content-Type', 'application/merge-patch+json']],
    [['Content-Type', 'APPLICATION/JSON;']],
    [['Content-Type', 'text/plain']],
    [['Content-Type', 'application/xml']],
    [['Content-Type', 'multipart/form-data; boundary=']],
    [['Content-Type', '']],
    [json, ['Content-Type', 'text/html']],
    [json, ['Content-Encoding', 'gzip']],
    [json, ['Content-Encoding', 'gzip, gzip, gzip']],
    [json, ['Content-Encoding', 'identity']],
    [json, ['Content-Encoding', 'br']],
    [json, ['Content-Encoding', '']],
  ),
  headerText.map((text): readonly Header[] => [['Content-Type', text]]),
);

/** Text that is no UTF-8: cut characters, overlong forms, surrogates, other encodings. */
const brokenText = fc.constantFrom(
  Buffer.from('7b226e616d65223a22c328227d', 'hex'),
  Buffer.from('7b226e616d65223a22e28228227d', 'hex'),
  Buffer.from('7b226e616d65223a22eda080227d', 'hex'),
  Buffer.from('7b226e616d65223a22c080227d', 'hex'),
  Buffer.from('7b226e616d65223a22f4908080227d', 'hex'),
  Buffer.from('{"name":"utf-16"}', 'utf16le'),
  Buffer.from('efbbbf7b7d', 'hex'),
  Buffer.from('{"name":"a'),
  Buffer.from('{"name":"a"}}'),
);

const bombs = fc.constantFrom(
  gzipSync(Buffer.alloc(5_000_000, ' ')),
  gzipSync(Buffer.from('{}')).subarray(0, 12),
  Buffer.from('1f8b0800', 'hex'),
  Buffer.alloc(1_100_000, ' '),
);

function formOf(entries: readonly (readonly [string, unknown])[]): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : writeJson(value));
  const pairs = entries.flatMap(([name, value]) =>
    (Array.isArray(value) && value.length > 0 ? value : [value]).map(
      (each) => `${encoded(name)}=${encoded(text(each))}`,
    ),
  );
  return pairs.join('&');
}
