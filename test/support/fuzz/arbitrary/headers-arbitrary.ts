import fc from 'fast-check';
import type { Operation } from '../operations.ts';
import type { Header } from '../raw-request.ts';
import { hostileText, injectedHeader, marker } from './hostile-values.ts';
import { mostly } from './mostly.ts';

/** Draws headers of an operation and of HTTP in general, with valid and hostile values. */
export function headersArbitrary({ headers }: Operation): fc.Arbitrary<readonly Header[]> {
  const known = headers.map((name) =>
    fc
      .oneof(fc.constantFrom('*', '"v1"', 'W/"v1"', '"v99999999999999999"', 'key-1'), headerText)
      .map((value): Header => [name, value]),
  );
  const header = fc.oneof(
    ...known,
    fc.constantFrom(...malformedHeaders),
    fc.tuple(fc.constantFrom(...headerNames), headerText).map(([name, value]): Header => [name, value]),
  );
  const host = mostly<Header>(
    25,
    ['Host', 'localhost'],
    fc.constantFrom(...hosts).map((name): Header => ['Host', name]),
  );
  return fc.tuple(host, mostly(4, [], fc.array(header, { maxLength: 3 }))).map(([first, more]) => [first, ...more]);
}

export const headerText = hostileText.map((text) => text.toWellFormed().slice(0, 20_000));
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
const malformedHeaders: readonly Header[] = [
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
