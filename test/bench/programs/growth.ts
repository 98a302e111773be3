import { type BenchDatabase, type DatabaseName, openBoth, openDatabase } from '../harness/databases.ts';
import { FinishedHistory } from '../harness/finished-history.ts';
import { ProcessorTime } from '../harness/processor-time.ts';
import { interleaved } from '../harness/rounds.ts';
import type { Report } from '../results.ts';
import { drain } from './drain.ts';

export const name = 'draining with many finished jobs';
const small = 1000;
const sizes = [10_000, 100_000, 1_000_000];
const jobs = 2000;
const rounds = 5;

type Opened = Partial<Record<DatabaseName, BenchDatabase>>;

/** Compares draining jobs with a thousand to a million finished jobs in the tables. */
export async function run(report: Report): Promise<void> {
  await grow(openBoth, report);
  await grow(async () => ({ PostgreSQL: await openDatabase('PostgreSQL') }), report);
}

/** Grows one database and drains it at every size, interleaved with one that stays small. */
async function grow(open: () => Promise<Opened>, report: Report): Promise<void> {
  await using grown = new GrowthDatabase(await open());
  for (const size of sizes) {
    await using other = new GrowthDatabase(await open());
    await other.history.growTo(small);
    await grown.history.growTo(size);
    const [ofSmall, ofGrown] = [other.watch(), grown.watch()];
    const rates = await interleaved(rounds, {
      ...other.workloads('small', ofSmall),
      ...grown.workloads('grown', ofGrown),
    });
    for (const database of grown.names) {
      const [few, many] = [rates[`small ${database}`] as number, rates[`grown ${database}`] as number];
      const words = `${database}, ${size.toLocaleString('en-US')} finished jobs`;
      report.figure(`${database}, ${small.toLocaleString('en-US')} finished jobs`, few, 'jobs/s');
      report.figure(words, many, 'jobs/s');
      report.figure(`   vs. ${small.toLocaleString('en-US')}`, many / few, '×', { min: 0.8 });
      const [before, after] = [costOf(ofSmall, database), costOf(ofGrown, database)];
      report.figure(`   processor time of a job, ${small.toLocaleString('en-US')} finished jobs`, before, 'ms');
      report.figure(`   processor time of a job, ${size.toLocaleString('en-US')} finished jobs`, after, 'ms');
      report.figure(`   vs. ${small.toLocaleString('en-US')}`, after / before, '×', { max: 1.25 });
    }
  }
}

type Watches = ReadonlyMap<DatabaseName, ProcessorTime>;

/** Processor time of one job in milliseconds, of all processes; includes the warm-up round. */
function costOf(watches: Watches, database: DatabaseName): number {
  const spent = Object.values((watches.get(database) as ProcessorTime).milliseconds);
  return spent.reduce((all, each) => all + each, 0) / (jobs * (rounds + 1));
}

/** One database, opened with one or two durability settings. */
class GrowthDatabase implements AsyncDisposable {
  readonly names: readonly DatabaseName[];
  readonly history: FinishedHistory;
  readonly #opened: readonly (readonly [DatabaseName, BenchDatabase])[];

  constructor(opened: Opened) {
    this.#opened = Object.entries(opened) as [DatabaseName, BenchDatabase][];
    this.names = this.#opened.map(([each]) => each);
    const [first] = this.#opened as [[DatabaseName, BenchDatabase]];
    this.history = new FinishedHistory(first[1]);
  }

  watch(): Watches {
    const watched = (at: BenchDatabase) => ({ here: () => [process.pid], database: () => at.processes() });
    return new Map(this.#opened.map(([each, at]) => [each, new ProcessorTime(watched(at))]));
  }

  workloads(size: string, watches: Watches): Record<string, () => Promise<number>> {
    const work = (each: DatabaseName, at: BenchDatabase) => () =>
      (watches.get(each) as ProcessorTime).measure(() => drain(at, jobs));
    return Object.fromEntries(this.#opened.map(([each, at]) => [`${size} ${each}`, work(each, at)]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [, database] of this.#opened) await database[Symbol.asyncDispose]();
  }
}
