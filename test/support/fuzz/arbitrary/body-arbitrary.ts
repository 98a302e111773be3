import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Operation } from '../operations.ts';
import type { Header } from '../raw-request.ts';
import { headerText } from './headers-arbitrary.ts';
import { hostileJson, hostileText, percentEncoded, RawJson, writeEntries, writeJson } from './hostile-values.ts';
import { mostly } from './mostly.ts';
import type { SchemaValues } from './schema-values.ts';

/** A body and its content headers. */
interface Content {
  readonly bytes: Uint8Array;
  readonly headers: readonly Header[];
}

/** Draws the bodies of an operation as JSON or form, and malformed bodies or ones with a wrong content type. */
export class BodyArbitrary {
  readonly #values: SchemaValues;

  constructor(values: SchemaValues) {
    this.#values = values;
  }

  of({ body, method }: Operation): fc.Arbitrary<Content | null> {
    const garbage = fc.oneof(
      hostileJson.map((value) => utf8(writeJson(value))),
      fc.uint8Array({ maxLength: 60 }),
      brokenText,
    );
    const untyped = fc.oneof(garbage, bombs).map((bytes): Content => ({ bytes, headers: [] }));
    const typed = fc.tuple(untyped, contentHeaders).map(([{ bytes }, headers]) => ({ bytes, headers }));
    if (!body) return mostly<Content | null>(method === 'GET' ? 20 : 4, null, typed);
    const entries = this.#entries(body);
    const asJson = entries.map((each): Content => ({ bytes: utf8(writeEntries(each)), headers: [json] }));
    const asForm = entries.map((each): Content => ({ bytes: utf8(formOf(each)), headers: [form] }));
    const asSchema = this.#values
      .of(body.schema)
      .map((value): Content => ({ bytes: utf8(writeJson(value)), headers: [json] }));
    const withWrongHeaders = fc.tuple(asJson, contentHeaders).map(([{ bytes }, headers]) => ({ bytes, headers }));
    const asInvalidJson = garbage.map((bytes): Content => ({ bytes, headers: [json] }));
    return fc.oneof(
      { weight: 10, arbitrary: asJson },
      { weight: 4, arbitrary: asSchema },
      { weight: 3, arbitrary: asForm },
      { weight: 3, arbitrary: asInvalidJson },
      { weight: 2, arbitrary: withWrongHeaders },
      { weight: 1, arbitrary: typed },
      { weight: 1, arbitrary: fc.constant(null) },
    );
  }

  /** The document's example of a body, with fields changed, duplicated, removed or added. */
  #entries({ schema, example }: NonNullable<Operation['body']>): fc.Arbitrary<[string, unknown][]> {
    const properties = Object.entries(this.#values.resolve(schema).properties ?? {});
    const value = (property: unknown) => mostly(2, this.#values.of(property), hostileJson);
    const changes = fc.array(
      fc.oneof(
        ...properties.map(([name, each]) => value(each).map((changed): [string, unknown] => [name, changed])),
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
      const rest = replacing ? original.filter(([name]) => !changed.some(([each]) => each === name)) : original;
      return [...rest, ...changed].filter(([, each]) => each !== undefined);
    });
  }
}

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

/** Invalid UTF-8: truncated characters, overlong forms, surrogates, other encodings. */
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

/** Bodies that take much memory when they are decompressed or parsed, and truncated gzip. */
const bombs = fc.constantFrom(
  gzipSync(Buffer.alloc(5_000_000, ' ')),
  gzipSync(Buffer.from('{}')).subarray(0, 12),
  Buffer.from('1f8b0800', 'hex'),
  Buffer.alloc(1_100_000, ' '),
);

const utf8 = (text: string) => Buffer.from(text.toWellFormed());

function formOf(entries: readonly (readonly [string, unknown])[]): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : writeJson(value));
  const pairs = entries.flatMap(([name, value]) =>
    (Array.isArray(value) && value.length > 0 ? value : [value]).map(
      (each) => `${percentEncoded(name)}=${percentEncoded(text(each))}`,
    ),
  );
  return pairs.join('&');
}
