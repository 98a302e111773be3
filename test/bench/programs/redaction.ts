import { randomBytes } from 'node:crypto';
import { Redactor } from '#core/redaction/redactor';
import type { Report } from '../results.ts';

export const name = 'redaction of output';

const size = 64 * 1024 * 1024;
const chunkSize = 64 * 1024;

/** Lines as programs log them, with random parts. */
function logLines(): Buffer {
  const lines = Array.from({ length: 20_000 }, (_, index) => {
    const id = randomBytes(6).toString('hex');
    return `2026-11-22T10:00:${index % 60}Z INFO request ${id} of user-${index} took ${index % 977} ms\n`;
  });
  return Buffer.alloc(size, lines.join(''));
}

function randomSecrets(count: number): string[] {
  return Array.from({ length: count }, () => randomBytes(15).toString('base64'));
}

/** A secret of 32 KiB that a text of its first character nearly matches everywhere. */
const hostileSecret = `${'a'.repeat(16_384)}b${'a'.repeat(16_383)}`;

/** Returns the megabytes that a pass over the text takes in a second, the best of three. */
function megabytesPerSecond(text: Buffer, pass: (chunk: Buffer) => void): number {
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    for (let at = 0; at < text.length; at += chunkSize) pass(text.subarray(at, at + chunkSize));
    best = Math.min(best, performance.now() - start);
  }
  return text.length / 1e6 / (best / 1000);
}

/** Measures how much output a second is redacted, beside copying it, and how long the automaton takes to build. */
export async function run(report: Report): Promise<void> {
  const lines = logLines();
  const copy = Buffer.alloc(chunkSize);
  report.figure(
    'baseline: the output is copied',
    megabytesPerSecond(lines, (chunk) => chunk.copy(copy)),
    'MB/s',
  );
  const cases: readonly [title: string, secrets: readonly string[], text: Buffer][] = [
    ['no secret', [], lines],
    ['1 secret of 32 KiB, which the output nearly matches everywhere', [hostileSecret], Buffer.alloc(size, 'a')],
    ['200 secrets of 20 bytes', randomSecrets(200), lines],
    ['1,000 secrets of 20 bytes', randomSecrets(1000), lines],
  ];
  for (const [title, secrets, text] of cases) {
    const redactor = new Redactor(secrets);
    const start = performance.now();
    await redactor.build();
    const built = performance.now() - start;
    const stream = redactor.stream();
    let shown = 0;
    const speed = megabytesPerSecond(text, (chunk) => {
      for (const piece of stream.push(chunk)) shown += piece.length;
    });
    if (shown === 0) throw new Error('Nothing was redacted.');
    report.figure(title, speed, 'MB/s', { min: 50 });
    if (secrets.length > 0) report.figure('  the automaton of all encoded forms is built', built, 'ms');
  }
}
