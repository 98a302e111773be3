import { type BenchDatabase, type DatabaseName, openBoth, openDatabase } from './databases.ts';
import { drain } from './drain.ts';
import { History } from './history.ts';
import type { Report } from './report.ts';
import { inTurns } from './rounds.ts';

export const name = 'growth';
const small = 1000;
const sizes = [10_000, 100_000, 1_000_000];
const jobs = 2000;
const rounds = 5;

type Opened = Partial<Record<DatabaseName, BenchDatabase>>;

/** Whether jobs are drained as quickly with a million finished ones in the tables as with a thousand. */
export async function run(report: Report): Promise<void> {
  await grow(openBoth, report);
  await grow(async () => ({ PostgreSQL: await openDatabase('PostgreSQL') }), report);
}

/** Fills one database and drains it, at every size in turns with one that stays small; each opened in one way or two. */
async function grow(open: () => Promise<Opened>, report: Report): Promise<void> {
  await using grown = new Place(await open());
  for (const size of sizes) {
    await using other = new Place(await open());
    await other.history.growTo(small);
    await grown.history.growTo(size);
    const rates = await inTurns(rounds, { ...other.works('small'), ...grown.works('grown') });
    for (const database of grown.names) {
      const [few, many] = [rates[`small ${database}`] as number, rates[`grown ${database}`] as number];
      const words = `${database}, ${size.toLocaleString('en-US')} finished jobs`;
      report.figure(`${database}, ${small.toLocaleString('en-US')} finished jobs`, few, 'jobs/s');
      report.figure(words, many, 'jobs/s');
      report.figure(`   beside ${small.toLocaleString('en-US')}`, many / few, '×', { least: 0.8 });
    }
  }
}

/** One database, opened in one way or in two. */
class Place implements AsyncDisposable {
  readonly names: readonly DatabaseName[];
  readonly history: History;
  readonly #opened: readonly (readonly [DatabaseName, BenchDatabase])[];

  constructor(opened: Opened) {
    this.#opened = Object.entries(opened) as [DatabaseName, BenchDatabase][];
    this.names = this.#opened.map(([each]) => each);
    const [first] = this.#opened as [[DatabaseName, BenchDatabase]];
    this.history = new History(first[1].store);
  }

  works(size: string): Record<string, () => Promise<number>> {
    return Object.fromEntries(this.#opened.map(([each, at]) => [`${size} ${each}`, () => drain(at, jobs)]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [, database] of this.#opened) await database[Symbol.asyncDispose]();
  }
}
