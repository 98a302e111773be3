import type { Actor, AuditedStore, Tables } from '@horarium/core';
import { type Command, Option } from 'commander';
import { print } from '../cli/output.ts';
import { readFiles } from '../cli/read-files.ts';
import { addStoreCommand, type Cli } from '../cli/session.ts';
import { nextRuns, type PlannedLine, planCrontab } from '../imports/plan-crontab.ts';
import { type StoredLine, storeCrontab } from '../imports/store-crontab.ts';

interface Options {
  readonly company: string;
  readonly system: boolean;
  readonly dryRun: boolean;
  readonly timezone?: string;
}

/** `crontab:import FILE…`: all lines of all files or none. */
export function addCrontabImportCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'crontab:import')
    .description(
      'Make an app and a run template of each line of crontabs; a second import of a file of that name changes nothing.',
    )
    .argument('<file...>', 'crontabs, - for the input; a file with a line that cannot be read imports nothing')
    .addOption(new Option('--company <code>', 'the company that the run templates belong to').makeOptionMandatory())
    .option('--system', 'the format of /etc/crontab: a user stands before the command', false)
    .option('--timezone <zone>', "time zone of lines without CRON_TZ; the service's own when left out")
    .option('--dry-run', 'only show what would be made, and when it would run next', false);
  command.action(async (names: string[]) => {
    const { company, system, timezone, dryRun } = command.opts<Options>();
    const files = await readFiles(cli.io, names);
    const plan = planCrontab(files, { company, system, timezone });
    await using session = await cli.open(command);
    const { core, actor } = session;
    const work = (tables: Tables) => storeCrontab(core, actor, tables, plan);
    const stored = await (dryRun ? tried(core.store, actor, work) : core.store.transaction(actor, work));
    const rows = plan.lines.map((line, index) => {
      const { app, runtemplate, timezone, fate } = stored[index] as StoredLine;
      const { line: number, schedule, user, command: runs } = line.entry;
      const said = { file: line.file, line: number, schedule, user, timezone, command: runs };
      if (!dryRun) return { ...said, app, runtemplate, result: fate };
      return { ...said, next: nextRuns(line, timezone, core.clock), result: fate };
    });
    await print(cli.io, command, rows);
    for (const message of [...doubled(plan.lines, stored), ...plan.notes]) await cli.io.err(`${message}\n`);
    if (dryRun) await cli.io.err('Nothing was changed: this was a dry run.\n');
  });
}

/** Two equal lines run twice, as they do under cron; who imports one anew should know. */
function doubled(lines: readonly PlannedLine[], stored: readonly StoredLine[]): string[] {
  const place = ({ file, entry }: PlannedLine) => `${file}, line ${entry.line}`;
  const places = new Map(lines.map((line, index) => [stored[index]?.runtemplate, place(line)]));
  return lines.flatMap((line, index) => {
    const { fate, equal } = stored[index] as StoredLine;
    if (fate !== 'created') return [];
    const others = equal.map(({ id, name }) => places.get(id) ?? `run template ${id} (${name})`);
    return others.map((other) => `${place(line)}: says the same as ${other}; both will run.`);
  });
}

/** Does the work in a transaction that is then taken back: what it says is what would really happen. */
async function tried<T>(store: AuditedStore, actor: Actor, work: (tables: Tables) => Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined;
  try {
    return await store.transaction(actor, async (tables) => {
      result = { value: await work(tables) };
      throw new TakenBack();
    });
  } catch (error) {
    if (error instanceof TakenBack && result) return result.value;
    throw error;
  }
}

class TakenBack extends Error {}
