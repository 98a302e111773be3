import fc from 'fast-check';
import type { Operation } from '../operations.ts';
import { hostileText, percentEncoded } from './hostile-values.ts';
import { mostly } from './mostly.ts';
import type { Schema, SchemaValues } from './schema-values.ts';

const suffixes = ['json', 'xml', 'yaml', 'csv', 'html'];
const unknownSuffixes = ['tar.gz', 'exe', 'JSON', 'json.json', 'json%00'];

/** Draws request targets of an operation, and malformed variants of its path and query. */
export class TargetArbitrary {
  readonly #values: SchemaValues;

  constructor(values: SchemaValues) {
    this.#values = values;
  }

  of(operation: Operation): fc.Arbitrary<string> {
    return fc.tuple(this.#path(operation), this.#search(operation)).map(([path, search]) => path + search);
  }

  #path({ path }: Operation): fc.Arbitrary<string> {
    const parts = path.split(/(\{\w+\})/).filter((part) => part !== '');
    const filled = fc
      .tuple(
        ...parts.map((part) => {
          if (part === '{suffix}') return mostly(20, fc.constantFrom(...suffixes), fc.constantFrom(...unknownSuffixes));
          return part.startsWith('{') ? pathSegment : fc.constant(part);
        }),
      )
      .map((segments) => segments.join(''));
    return mostly(14, filled, filled.chain(malformPath));
  }

  #search({ query }: Operation): fc.Arbitrary<string> {
    const value = (schema: Schema) => mostly(3, this.#values.of(schema).map(String), hostileText).map(percentEncoded);
    const pairs: fc.Arbitrary<string>[] = [
      ...query.map(({ name, schema }) => value(schema).map((text) => `${name}=${text}`)),
      fc.tuple(hostileText, hostileText).map(([name, text]) => `${percentEncoded(name)}=${percentEncoded(text)}`),
      fc.constantFrom('-id', 'id', '-created_at', 'name', 'enabled', '-scheduled_at').chain(cursors),
      fc.constantFrom('limit=all', 'cascade=true', '%zz=%', '=', '&&', 'a[b]=c', '__proto__=1', 'limit=1&limit=2'),
    ];
    const maxPairs = query.length > 0 ? 3 : 1;
    return mostly(
      query.length > 0 ? 1 : 6,
      '',
      fc.array(fc.oneof(...pairs), { maxLength: maxPairs }).map((all) => (all.length > 0 ? `?${all.join('&')}` : '')),
    );
  }
}

const pathSegment = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(1, 1, 2, 2, 3, 4, 5, 6, 7).map(String) },
  { weight: 2, arbitrary: hostileText.map(percentEncoded) },
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

/** Draws variants of a path that have bypassed routing or access checks elsewhere. */
function malformPath(path: string): fc.Arbitrary<string> {
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

/** Draws queries with forged cursors of an order. */
function cursors(order: string): fc.Arbitrary<string> {
  const name = order.replace('-', '');
  const direction = order === name ? 'asc' : 'desc';
  const values = fc.constantFrom<unknown>(null, 1, 1e300, -1, 'a', '\0\ud800', true, {}, [], '1970-01-01');
  const cursor = (value: unknown) =>
    btoa(encodeURIComponent(JSON.stringify([`${direction} ${name}`, value, 5]).toWellFormed()));
  return values.map((value) => `order=${order}&after=${cursor(value)}`);
}
