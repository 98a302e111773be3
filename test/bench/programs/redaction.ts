import { randomBytes } from 'node:crypto';
import { Redactor } from '#core/redaction/redactor';
import type { Report } from '../results.ts';

export const name = 'redaction of output';

const size = 2 * 1024 * 1024;
const chunkSize = 64 * 1024;
const rounds = 20;
/** How many bytes of secrets an attempt may have. */
const most = 64 * 1024;

/** Lines as programs log them, with random parts. */
function logLines(): Buffer {
  const lines = Array.from({ length: 20_000 }, (_, index) => {
    const id = randomBytes(6).toString('hex');
    return `2026-11-22T10:00:${index % 60}Z INFO request ${id} of user-${index} took ${index % 977} ms\n`;
  });
  return Buffer.alloc(size, lines.join(''));
}

const heartbeatKey = () => randomBytes(32).toString('base64url');

function randomSecrets(count: number, length: number): string[] {
  return Array.from({ length: count }, () => randomBytes(length).toString('base64').slice(0, length));
}

/** A secret that a text of its first character nearly matches everywhere. */
const hostileSecret = `${'a'.repeat(most / 2)}b${'a'.repeat(most / 2 - 1)}`;
/** A secret that each way of escaping writes longer, and otherwise than the others. */
const escapedSecret = 'é/ <!\u0001'.repeat(most / 7);

/** Takes the steps of the same work several times. @returns the least milliseconds of each: others use the machine too. */
function timesOfSteps(work: () => Generator<unknown, void>, times: number): readonly number[] {
  const best: number[] = [];
  for (let time = 0; time < times; time++) {
    const steps = work();
    for (let index = 0, done: boolean | undefined = false; !done; index++) {
      const start = performance.now();
      done = steps.next().done;
      best[index] = Math.min(best[index] ?? Infinity, performance.now() - start);
    }
  }
  return best;
}

/** Returns the megabytes of a text that passes take in a second, by the best pass of each chunk. */
function megabytesPerSecond(text: Buffer, pass: (chunk: Buffer) => void): number {
  const best = new Array<number>(text.length / chunkSize).fill(Infinity);
  for (let round = 0; round < rounds; round++)
    for (const [index, known] of best.entries()) {
      const start = performance.now();
      pass(text.subarray(index * chunkSize, (index + 1) * chunkSize));
      best[index] = Math.min(known, performance.now() - start);
    }
  return text.length / 1e6 / (best.reduce((sum, time) => sum + time) / 1000);
}

/** Returns the memory that is in use, in MiB. */
function memoryInUse(): number {
  for (let times = 0; times < 3; times++) globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

/** Measures how much output a second is redacted, beside copying it, and what is built for the first line of a job. */
export async function run(report: Report): Promise<void> {
  const lines = logLines();
  const copy = Buffer.alloc(chunkSize);
  report.figure(
    'baseline: the output is copied',
    megabytesPerSecond(lines, (chunk) => chunk.copy(copy)),
    'MB/s',
  );
  const nearly = Buffer.alloc(size, 'a');
  const cases: readonly [title: string, secrets: readonly string[], text: Buffer, attempts: number][] = [
    ['only the key of the heartbeats', [heartbeatKey()], lines, 2000],
    ['5 secrets of 40 bytes and the key', [...randomSecrets(5, 40), heartbeatKey()], lines, 400],
    ['64 KiB: 1,024 secrets of 64 bytes', randomSecrets(1024, 64), lines, 20],
    ['64 KiB: 1 secret', randomSecrets(1, most), lines, 20],
    ['64 KiB: 1 secret that the output nearly matches everywhere', [hostileSecret], nearly, 20],
    ['64 KiB: 1 secret that is escaped everywhere', [escapedSecret], lines, 20],
  ];
  for (const [title, secrets, text, attempts] of cases) {
    const steps = timesOfSteps(() => new Redactor(secrets).stream().push(lines.subarray(0, 80)), attempts);
    const before = memoryInUse();
    const stream = new Redactor(secrets).stream();
    let shown = 0;
    const speed = megabytesPerSecond(text, (chunk) => {
      for (const piece of stream.push(chunk)) shown += piece.length;
    });
    const memory = memoryInUse() - before;
    if (shown + stream.end().length === 0) throw new Error('Nothing was redacted.');
    report.figure(title, speed, 'MB/s', { min: 50 });
    report.figure('  the first line, with what is built for it', 1000 * steps.reduce((sum, time) => sum + time), 'µs');
    report.figure('  its longest step', Math.max(...steps), 'ms', { max: 20 });
    report.figure('  memory', Math.max(0, memory), 'MiB', { max: 32 });
  }
}
