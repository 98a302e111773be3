import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { ownRoot } from '../../harness/service.ts';
import { plainEnvironment } from '../command.ts';
import type { PairsContext } from '../context.ts';
import { readPrintedFigures } from '../printed-figures.ts';
import { endProcessesOf, signalIfAlive } from '../processes.ts';
import type { Side } from '../side.ts';

/** A bench that takes longer is stopped. */
const maxMinutes = 20;

interface BenchOutcome {
  readonly figures: ReadonlyMap<string, number>;
  /** Why the bench ended before it had printed enough; null if it did not. */
  readonly failure: string | null;
}

/**
 * Runs one bench of a checkout, as `npm run bench -- NAME` does.
 * @param isEnough returns true when the figures that are wanted have been printed; the bench is stopped then.
 */
export async function runBench(
  { root }: Side,
  name: string,
  { folder, signal }: PairsContext,
  isEnough: (figures: ReadonlyMap<string, number>) => boolean,
): Promise<BenchOutcome> {
  signal.throwIfAborted();
  const own = mkdtempSync(join(folder, `${name}-`));
  chmodSync(own, 0o711);
  // Other checkouts may not know the option; they write into a file of the build, which nobody reads.
  const options = root === ownRoot ? ['--no-write'] : [];
  const child = spawn(process.execPath, [join(root, 'dist/test/bench/main.js'), name, ...options], {
    cwd: root,
    // A group of its own, so that the bench and all that it starts can be ended together.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...plainEnvironment(), TMPDIR: own },
  });
  const endGroup = () => signalIfAlive(-(child.pid as number), 'SIGTERM');
  const timer = setTimeout(endGroup, maxMinutes * 60_000);
  signal.addEventListener('abort', endGroup);
  let printed = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
    if (isEnough(readPrintedFigures(wholeLines(printed)))) endGroup();
  });
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-2000);
  });
  const ending = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, bySignal) => resolve(code ?? bySignal));
  });
  clearTimeout(timer);
  signal.removeEventListener('abort', endGroup);
  await endProcessesOf(own);
  signal.throwIfAborted();
  const figures = readPrintedFigures(printed);
  const isComplete = ending === 0 || isEnough(figures);
  const cause = ending === 'SIGTERM' ? `was stopped after ${maxMinutes} minutes` : `ended with ${ending}`;
  return { figures, failure: isComplete ? null : `the bench ${name} ${cause}. ${errors.trim()}`.trim() };
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf('\n') + 1);
}
