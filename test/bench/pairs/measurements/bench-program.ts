import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ownRoot } from '../../harness/service.ts';
import type { PairsContext } from '../context.ts';
import { readPrintedFigures } from '../printed-figures.ts';
import { ProcessGroup } from '../process-group.ts';
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
  // Other checkouts may not know the option; they write into a file of the build, which is not read.
  const options = root === ownRoot ? ['--no-write'] : [];
  await using group = new ProcessGroup({ name, folder, signal, maxMinutes }, (more) =>
    spawn(process.execPath, [join(root, 'dist/test/bench/main.js'), name, ...options], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...more,
    }),
  );
  const { child } = group;
  let printed = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
    if (isEnough(readPrintedFigures(wholeLines(printed)))) group.end();
  });
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-2000);
  });
  const ending = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, bySignal) => resolve(code ?? bySignal));
  });
  signal.throwIfAborted();
  const figures = readPrintedFigures(printed);
  const isComplete = ending === 0 || isEnough(figures);
  const cause = group.isLate ? `took more than ${maxMinutes} minutes` : `ended with ${ending}`;
  return { figures, failure: isComplete ? null : `the bench ${name} ${cause}. ${errors.trim()}`.trim() };
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf('\n') + 1);
}
