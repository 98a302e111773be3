import { loadavg } from 'node:os';
import { ownRoot } from '../harness/service.ts';
import { formatNumber, machine } from '../results.ts';
import { type PairsArguments, PairsError, pairsUsage, readPairsArguments } from './arguments.ts';
import { type Commit, openCache, Repository } from './checkout.ts';
import { PairsContext } from './context.ts';
import { measureSides } from './measure-sides.ts';
import { measurements, shownOrder } from './measurements/measurements.ts';
import type { Side } from './side.ts';
import { type Column, pairsTable } from './table.ts';

/** Measures this tree beside other commits, and prints one table. @returns the exit code. */
export async function runPairs(args: readonly string[]): Promise<number> {
  const interrupt = new AbortController();
  const abort = () => interrupt.abort(new PairsError('The run was interrupted.'));
  process.once('SIGINT', abort).once('SIGTERM', abort);
  try {
    const options = readPairsArguments(args);
    if (options === 'help') console.log(pairsUsage);
    else await compare(options, interrupt.signal);
    return interrupt.signal.aborted ? 130 : 0;
  } catch (error) {
    if (!(error instanceof PairsError)) throw error;
    console.error(error.message);
    return interrupt.signal.aborted ? 130 : 2;
  } finally {
    process.off('SIGINT', abort).off('SIGTERM', abort);
  }
}

async function compare({ commits: names, rounds, only }: PairsArguments, signal: AbortSignal): Promise<void> {
  const repository = new Repository(ownRoot);
  const commits = await Promise.all(names.map((name) => repository.commit(name)));
  const [load] = loadavg() as [number];
  if (load > 1) say('other programs use this machine: what takes time is noisy, what is counted is not');
  const head = await headOf(
    repository,
    commits,
    `load ${formatNumber(load)} before, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
  );
  const sides: Side[] = [];
  for (const commit of commits) {
    const root = await repository.build(commit, { cache: openCache(), progress: say, signal });
    sides.push({ name: commit.shortHash, root });
  }
  const own = { name: 'this tree', root: ownRoot };
  await using context = new PairsContext(signal);
  const chosen = Object.fromEntries(only.map((group) => [group, measurements[group]]));
  const columns = await measureSides([...sides, own], chosen, rounds, context, say);
  const rows = shownOrder.filter((group) => only.includes(group)).flatMap((group) => measurements[group].rows);
  console.log(`${head}\n\n${pairsTable(rows, columns.slice(0, -1), columns.at(-1) as Column)}`);
}

/** Says what is compared, and where. @param conditions of the run. */
async function headOf(repository: Repository, commits: readonly Commit[], conditions: string): Promise<string> {
  const own = await repository.commit('HEAD');
  const changes = (await repository.isDirty()) ? ', with changes that are not committed' : '';
  return [
    `${machine()}, ${conditions}. Medians (least–greatest).`,
    '',
    ...commits.map(({ shortHash, subject }) => `* ${shortHash}: ${subject}`),
    `* this tree: ${own.shortHash}${changes}: ${own.subject}`,
  ].join('\n');
}

/** Tells on stderr what is being done, so that stdout has the table only. */
function say(step: string): void {
  console.error(`pairs: ${step}`);
}
