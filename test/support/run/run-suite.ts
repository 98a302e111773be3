import { countsLine, countsOf, type FileOutcome, failureLine, type Outcome, shownPath } from './outcome.ts';
import { runMocha } from './run-mocha.ts';
import { SharedPlaces } from './shared-places.ts';

/** How many of the slowest files are named. */
const shownSlow = 10;

/**
 * `node dist/test/support/run/run-suite.js [--OPTION=VALUE …] FILES …` runs these test files with mocha. Each file in which
 * something failed runs once more, whole, alone and with nothing beside it, and that run counts: what fails again fails, and
 * what passes is reported as unsteady. The last line says `N passed, N failed, N skipped`.
 */
async function main(words: readonly string[]): Promise<void> {
  const places = new SharedPlaces();
  const first = await runMocha(words);
  if (first === null) return fail('Mocha ended before it had results.');
  const options = words.filter((word) => word.startsWith('-'));
  const red = first.files.filter(isRed);
  const files = first.files.filter((each) => !isRed(each));
  for (const each of red) files.push(each.file === null ? each : await rerun(each.file, options));
  // What a failed test leaves behind is tidied up, and its second run shows whether it does so again.
  const total: Outcome = { files, fixturesFailed: first.fixturesFailed && red.length === 0 };
  list('Slowest files', slowest(first.files));
  list('Failed twice', titles(files.filter(isRed)));
  const steady = new Set(files.filter(isRed).map(({ file }) => file));
  list('Unsteady: failed beside other tests, passed alone', titles(red.filter(({ file }) => !steady.has(file))));
  const left = await places.left();
  list('Left behind', left);
  const counts = countsOf(total);
  if (counts.failed + left.length > 0) process.exitCode = 1;
  console.log(countsLine(counts));
}

async function rerun(file: string, options: readonly string[]): Promise<FileOutcome> {
  console.log(`\n== again, alone: ${shownPath(file)}`);
  const outcome = await runMocha([...options, file]);
  const [found] = outcome?.files.filter((each) => each.file === file) ?? [];
  const failures = [...(outcome?.files ?? []).flatMap((each) => each.failures)];
  if (outcome === null) failures.push({ title: 'mocha', message: 'ended before it had results' });
  if (outcome?.fixturesFailed) failures.push({ title: 'the global fixtures', message: 'see above' });
  return { passed: 0, skipped: 0, milliseconds: 0, ...found, file, failures };
}

function isRed({ failures }: FileOutcome): boolean {
  return failures.length > 0;
}

function titles(files: readonly FileOutcome[]): string[] {
  return files.flatMap((file) => file.failures.map((failure) => failureLine(file, failure)));
}

function slowest(files: readonly FileOutcome[]): string[] {
  const sorted = files.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, shownSlow);
  return sorted.map(({ file, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(6)} s ${shownPath(file)}`);
}

function list(heading: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${[`${heading}:`, ...lines.map((line) => `  ${line}`)].join('\n')}\n`);
}

function fail(reason: string): void {
  console.log(reason);
  process.exitCode = 1;
}

await main(process.argv.slice(2));
