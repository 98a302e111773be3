import fc from 'fast-check';

/** The name of the tag and the attribute that hostile texts try to inject. */
export const marker = 'fuzz-marker';

/** Occurs in a response only if a value was written without escaping. */
export const unescaped = `<${marker}`;

/** The header that hostile texts try to inject: no response may have it. */
export const injectedHeader = 'x-fuzz-marker';

/** Texts that have broken other services, one for each kind of bug: injections, encodings, limits, dates, patterns. */
const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'half a pair \udfff of surrogates',
  '\u202Ereversed',
  'e\u0301\u0301\u0301',
  '😀',
  '\ufeff',
  '\u2028',
  '\x1b[31mred',
  'x'.repeat(256),
  'x'.repeat(70_000),
  'é'.repeat(700),
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  "' OR '1'='1",
  "'; drop table app; --",
  '") union select null --',
  '%',
  '\\',
  `"><${marker} onload=alert(1)>`,
  `</script><${marker}>`,
  `]]><${marker}/>`,
  `javascript:alert('${marker}')`,
  '{{7*7}}',
  '$' + '{7*7}',
  '<%= 7*7 %>',
  '&amp;&lt;',
  '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
  `\r\n${injectedHeader}: 1`,
  `a\r\n\r\n<${marker}>`,
  "=cmd|' /C calc'!A0",
  '@SUM(1+1)',
  '../../../../etc/passwd',
  '%2e%2e%2f%00',
  'null',
  'NaN',
  'Infinity',
  '-0',
  '0x10',
  '1e400',
  '1e3',
  '-1',
  '9007199254740993',
  '9999999999999999',
  '99999999999999999999999999',
  '٣',
  '0000-01-01T00:00:00Z',
  '0000-06-15',
  '0000-00-00',
  '0001-01-01',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31',
  '9999-12-31T23:59:59-23:59',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:60Z',
  '2016-12-31T23:59:60Z',
  '2026-11-21T05:00:00+99:99',
  '(a+)+$',
  '([a-z',
  'a{1000000}',
  '* * * * *',
  '* * * * * *',
  '0 0 31 2 *',
  '*/0 * * * *',
  '99999999999999999999 * * * *',
  '0 0 29 2 1#6',
  '+99999999999999d',
  '+0s',
  '24:00',
  'Europe/Prague',
  'Etc/GMT+99',
  '+25:00',
  'http://[::1',
  'data:image/png;base64,AAAA',
  'data:image/svg+xml,<svg onload=alert(1)>',
  '00000000-0000-0000-0000-000000000000',
  '••••••••',
  'vault:v1:AAAA',
  'hor_AAAA',
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
);

/** Numbers as JSON text, some of them beyond the range or precision of a JavaScript number. */
const hostileNumbers = [
  '0',
  '-0',
  '-1',
  '1',
  '0.5',
  '1e-7',
  '2147483647',
  '2147483648',
  '-2147483649',
  '9007199254740991',
  '9007199254740992',
  '-9007199254740993',
  '9223372036854775808',
  '8640000000000001',
  '-62167219200001',
  '253402300800000',
  '1e308',
  '1e400',
  '-1e400',
  `1${'0'.repeat(400)}`,
];

/** JSON text that `writeJson` copies unchanged, for documents that `JSON.stringify` cannot write. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const rawNumber = fc.constantFrom(...hostileNumbers).map((text) => new RawJson(text));

const deeplyNested = (open: string, close: string) =>
  fc.constantFrom(5, 62, 63, 64, 65, 500, 100_000).map((depth) => {
    return new RawJson(`${open.repeat(depth)}1${close.repeat(depth)}`);
  });

/** Objects, lists and texts with very many members or characters. */
const large = fc.constantFrom(
  new RawJson(`[${'0,'.repeat(20_000)}0]`),
  new RawJson(`[${'{},'.repeat(9000)}{}]`),
  new RawJson(`[${'{},'.repeat(300_000)}{}]`),
  new RawJson(`{${Array.from({ length: 5000 }, (_, n) => `"k${n}":${n}`).join()}}`),
  new RawJson(`{"${'k'.repeat(70_000)}":"long"}`),
  new RawJson(`["${'x'.repeat(300_000)}"]`),
);

/** Keys that pollute prototypes, shadow methods, occur twice or cannot be stored. */
const dangerousKeys = fc.constantFrom(
  new RawJson('{"__proto__":{"enabled":false}}'),
  new RawJson('{"\\u005f_proto__":1}'),
  new RawJson('{"constructor":{"prototype":{"polluted":true}}}'),
  new RawJson('{"toString":1,"valueOf":2,"hasOwnProperty":3,"toJSON":4}'),
  new RawJson('{"length":1e9}'),
  new RawJson('{"a":1,"a":2}'),
  new RawJson('{"":""}'),
  new RawJson('{"\\u0000":"\\ud800"}'),
  new RawJson('{"then":1}'),
);

/** Values of any type, to be sent in place of a valid one. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: hostileText },
  { weight: 4, arbitrary: rawNumber },
  { weight: 3, arbitrary: fc.constantFrom(null, true, false, [], {}, [null], [[]], [{}]) },
  { weight: 2, arbitrary: dangerousKeys },
  { weight: 1, arbitrary: fc.oneof(deeplyNested('[', ']'), deeplyNested('{"a":', '}')) },
  { weight: 1, arbitrary: large },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }).map((text) => new RawJson(text)) },
  { weight: 1, arbitrary: fc.dictionary(hostileText, hostileText, { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.array(hostileText, { maxLength: 4 }) },
);

/** Writes a value as JSON text and copies raw JSON unchanged. */
export function writeJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join()}]`;
  if (typeof value === 'object' && value !== null) return writeEntries(Object.entries(value));
  return JSON.stringify(value);
}

/** Writes entries as a JSON object, in which a key may occur more than once. */
export function writeEntries(entries: readonly (readonly [string, unknown])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${writeJson(value)}`).join()}}`;
}

/** Percent-encodes a text for a query or a path. A lone surrogate has no encoding, so U+FFFD replaces it. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
