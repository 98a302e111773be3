import {
  type DeletedCounts,
  maxKeepDays,
  maxKeepLast,
  type PruningProgress,
  type ServiceRetentionRules,
} from '@horarium/core';
import type { Command } from 'commander';
import { addStoreCommand, type Cli, type CommandSession } from '../../cli/command-session.ts';
import { print } from '../../cli/output.ts';
import { grouped, ProgressLine } from '../../cli/progress-line.ts';
import { escapeControls } from '../../cli/shown/terminal-text.ts';

const retentionSettings = ['retention_days', 'retention_files_days', 'retention_last', 'retention_max_rows'] as const;

/** Adds `prune`, which deletes what is kept no longer without waiting for the running service to do so. */
export function addPruneCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'prune', retentionSettings)
    .description('Delete at once what is kept no longer. A running service does so every hour.')
    .option('--dry-run', 'delete nothing, and count what would be deleted', false)
    .addHelpText(
      'after',
      '\nWhat is kept stands in the settings whose names begin with retention_, and in the fields keep_days, keep_files_days and keep_last of companies and run templates (horarium help retention). Run it with the settings of the service. It may be stopped, and run again.',
    );
  command.action(async () => {
    const { dryRun } = command.opts<{ dryRun: boolean }>();
    await using session = await cli.open(command);
    await cli.io.err(`${[describeRules(session.core.pruning.rules), ...(await ownRules(session))].join('\n')}\n`);
    await using progress = new ProgressLine(cli.io);
    const counts = await session.core.pruning.prune(session.actor, {
      dryRun,
      onProgress: (each, at) => progress.show(describeProgress(each, at)),
    });
    await progress.end();
    await print(cli.io, command, { ...counts });
    if (dryRun) await cli.io.err('Nothing was deleted: this was a dry run.\n');
  });
}

/** How many companies and how many run templates are named. */
const maxNamed = 10;

interface Keeping {
  readonly name: string;
  readonly keep_days: number | null;
  readonly keep_files_days: number | null;
  readonly keep_last: number | null;
}

/** Says what companies and run templates keep that decide for themselves: the first of each. */
async function ownRules({ core, actor }: CommandSession): Promise<string[]> {
  const any = [[['keep_days', '!=', null]], [['keep_files_days', '!=', null]], [['keep_last', '!=', null]]] as const;
  const query = { where: [{ any }], order: 'id', limit: maxNamed + 1 } as const;
  const [companies, templates] = [await core.companies.list(actor, query), await core.runTemplates.list(actor, query)];
  return [
    ...firstRules(['company', 'companies'], companies.rows, (last) => `the newest ${last} of each template`),
    ...firstRules(['run template', 'run templates'], templates.rows, (last) => `its newest ${last}`),
  ];
}

function firstRules(
  [noun, nouns]: readonly [string, string],
  rows: readonly Keeping[],
  newest: (last: number) => string,
): string[] {
  const named = rows
    .slice(0, maxNamed)
    .map((row) => `The ${noun} ${escapeControls(row.name)} keeps ${keptBy(row, newest)}.`);
  return rows.length > maxNamed ? [...named, `There are further ${nouns} that decide for themselves.`] : named;
}

function keptBy(
  { keep_days: days, keep_files_days: filesDays, keep_last: last }: Keeping,
  newest: (last: number) => string,
): string {
  return [
    ...(days === null ? [] : [`Tasks and jobs ${span(days)}`]),
    ...(filesDays === null ? [] : [`output and artifacts ${span(filesDays)}`]),
    ...(last === null ? [] : [last < maxKeepLast ? newest(last) : 'any number of them']),
  ].join(', ');
}

function span(days: number): string {
  return days < maxKeepDays ? `for ${days} days` : 'for ever';
}

/** Says what is kept where neither a template nor a company decides. */
function describeRules({ days, filesDays, last, rowsPerCompany }: ServiceRetentionRules): string {
  const newest = last < maxKeepLast ? `, the newest ${last} of each template` : '';
  return `By the settings, Tasks and jobs are kept ${span(days)}${newest}, output and artifacts ${span(filesDays)}, and at most ${rowsPerCompany} rows of a company.`;
}

function describeProgress(counts: DeletedCounts, { kind, done, found }: PruningProgress): string {
  const deleted = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const part = found > 0 ? `, ${grouped(done)} of the ${grouped(found)} ${nouns[kind]} found` : '';
  return `${grouped(deleted)} rows deleted${part}`;
}

const nouns = {
  files: 'jobs with files',
  tasks: 'Tasks',
  jobs: 'jobs',
  events: 'events',
  deliveries: 'deliveries',
} as const;
