import { type BenchDatabase, type DatabaseName, openBoth, openDatabase } from '../harness/databases.ts';
import { FinishedHistory } from '../harness/finished-history.ts';
import { ProcessorTime } from '../harness/processor-time.ts';
import { interleaved } from '../harness/rounds.ts';
import type { Report } from '../results.ts';
import { drain } from './drain.ts';

export const name = 'draining with many finished jobs';
const smallSize = 1000;
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
    await using small = new GrowthDatabase(await open());
    await small.history.growTo(smallSize);
    await grown.history.growTo(size);
    await grown.settle();
    const [timesOfSmall, timesOfGrown] = [small.processorTimes(), grown.processorTimes()];
    const rates = await interleaved(rounds, {
      ...small.workloads('small', timesOfSmall),
      ...grown.workloads('grown', timesOfGrown),
    });
    for (const database of grown.names) {
      const [smallRate, grownRate] = [rates[`small ${database}`] as number, rates[`grown ${database}`] as number];
      const label = `${database}, ${size.toLocaleString('en-US')} finished jobs`;
      report.figure(`${database}, ${smallSize.toLocaleString('en-US')} finished jobs`, smallRate, 'jobs/s');
      report.figure(label, grownRate, 'jobs/s');
      report.figure(`   vs. ${smallSize.toLocaleString('en-US')}`, grownRate / smallRate, '×', { min: 0.8 });
      const [before, after] = [timePerJob(timesOfSmall, database), timePerJob(timesOfGrown, database)];
      report.figure(`   processor time of a job, ${smallSize.toLocaleString('en-US')} finished jobs`, before, 'ms');
      report.figure(`   processor time of a job, ${size.toLocaleString('en-US')} finished jobs`, after, 'ms');
      report.figure(`   vs. ${smallSize.toLocaleString('en-US')}`, after / before, '×', { max: 1.25 });
    }
  }
}

type ProcessorTimes = ReadonlyMap<DatabaseName, ProcessorTime>;

/** Returns the processor time of a job in milliseconds, of all processes; the warm-up round counts too. */
function timePerJob(times: ProcessorTimes, database: DatabaseName): number {
  const spent = Object.values((times.get(database) as ProcessorTime).milliseconds);
  return spent.reduce((sum, time) => sum + time, 0) / (jobs * (rounds + 1));
}

/** One database, opened with one or two durability settings. */
class GrowthDatabase implements AsyncDisposable {
  readonly names: readonly DatabaseName[];
  readonly history: FinishedHistory;
  readonly #opened: readonly (readonly [DatabaseName, BenchDatabase])[];

  constructor(opened: Opened) {
    this.#opened = Object.entries(opened) as [DatabaseName, BenchDatabase][];
    this.names = this.#opened.map(([name]) => name);
    const [first] = this.#opened as [[DatabaseName, BenchDatabase]];
    this.history = new FinishedHistory(first[1]);
  }

  /** Drains a job, so that the sealer passes over the entries of the history: it has not sealed them, and reads each once. */
  async settle(): Promise<void> {
    for (const [, database] of this.#opened) await drain(database, 1);
  }

  processorTimes(): ProcessorTimes {
    const processesOf = (database: BenchDatabase) => ({
      bench: () => [process.pid],
      database: () => database.processes(),
    });
    return new Map(this.#opened.map(([name, database]) => [name, new ProcessorTime(processesOf(database))]));
  }

  workloads(size: string, times: ProcessorTimes): Record<string, () => Promise<number>> {
    const workload = (name: DatabaseName, database: BenchDatabase) => () =>
      (times.get(name) as ProcessorTime).measure(() => drain(database, jobs));
    return Object.fromEntries(this.#opened.map(([name, database]) => [`${size} ${name}`, workload(name, database)]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [, database] of this.#opened) await database[Symbol.asyncDispose]();
  }
}
