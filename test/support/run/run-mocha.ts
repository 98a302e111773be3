import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from './outcome.ts';

const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');

/**
 * Runs mocha, which prints its results.
 * @param words its command line, without the reporter.
 * @returns the results; null when mocha ended before it had them.
 */
export async function runMocha(words: readonly string[]): Promise<Outcome | null> {
  const folder = mkdtempSync(join(tmpdir(), 'horarium-outcome-'));
  const file = join(folder, 'outcome.json');
  const reporter = [`--reporter=${import.meta.dirname}/ci-reporter.js`, `--reporter-option=outcome=${file}`];
  try {
    const line = [mocha, '--forbid-only', ...reporter, ...words];
    const [code] = await once(spawn(process.execPath, line, { stdio: 'inherit' }), 'close');
    const outcome: Outcome = JSON.parse(readFileSync(file, 'utf8'));
    const isRed = outcome.fixturesFailed || outcome.files.some(({ failures }) => failures.length > 0);
    return isRed === (code !== 0) ? outcome : null;
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
