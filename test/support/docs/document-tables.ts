import { readFileSync } from 'node:fs';
import {
  conditionMeanings,
  conditionNames,
  type JobState,
  jobStates,
  permissionRows,
  preparePlugin,
  problemKinds,
  problemMeanings,
  systemClock,
} from '@horarium/core';
import type { Command } from 'commander';
import { Metrics } from '../../../adapters/http/metrics.ts';
import { exitCodeMeanings } from '../../../host/cli/failure.ts';
import { commandGroups, groupedCommands } from '../../../host/cli/help/command-groups.ts';
import { settingsMarkdown } from '../../../host/config/settings-table.ts';
import { standardModel } from '../../../host/model.ts';
import fleetNats from '../../../plugins/fleet-nats/plugin.ts';
import { quantitiesMarkdown, writtenQuantitiesMarkdown } from '../quantities/quantities-table.ts';
import { fixtureNames } from './fixtures-table.ts';
import { helpProgram } from './help-program.ts';
import { pluginOptionRows } from './plugin-options.ts';
import { portsMarkdown } from './ports-table.ts';

const core = new URL('../../../../core/index.ts', import.meta.url);

/** The tables of documents that follow from the code, by the name that stands in `<!-- NAME -->`. */
const tables: Readonly<Record<string, () => string | Promise<string>>> = {
  glossary: glossaryMarkdown,
  settings: settingsMarkdown,
  ports: portsMarkdown,
  commands: async () => commandsMarkdown(await helpProgram({ plugins: 'all' })),
  metrics: metricsMarkdown,
  problems: () =>
    table(
      ['Problem', 'Meaning'],
      problemKinds.map((kind) => [`\`${kind.replaceAll('_', ' ')}\``, problemMeanings[kind]]),
    ),
  conditions: () =>
    table(
      ['Condition', 'Met if'],
      conditionNames.map((name) => [`\`${name.replaceAll('_', ' ')}\``, conditionMeanings[name]]),
    ),
  'exit-codes': () => table(['Code', 'Meaning'], Object.entries(exitCodeMeanings)),
  permissions: permissionsMarkdown,
  'plugin-options': async () =>
    table(
      ['Plugin', 'Option', 'Meaning'],
      (await pluginOptionRows())
        .filter(({ provides }) => provides === 'plugin')
        .map(({ name, option, meaning }) => [name, option, meaning]),
    ),
  'extension-options': async () =>
    table(
      ['Of', 'Option', 'Meaning'],
      (await pluginOptionRows())
        .filter(({ provides }) => provides !== 'plugin')
        .map(({ provides, name, option, meaning }) => [`${provides} ${name}`, option, meaning]),
    ),
  fixtures: () =>
    table(
      ['Name', 'Meaning'],
      fixtureNames().map(({ name, sentence }) => [`\`${name}\``, sentence]),
    ),
  bounds: () => writtenQuantitiesMarkdown(),
  quantities: quantitiesMarkdown,
};

/** Replaces what stands between `<!-- NAME -->` and `<!-- /NAME -->` by the table of that name as it is now. */
export async function withTables(markdown: string): Promise<string> {
  let text = markdown;
  for (const [name, write] of Object.entries(tables)) {
    const marked = new RegExp(`<!-- ${name} -->.*<!-- /${name} -->`, 's');
    if (!marked.test(text)) continue;
    const written = await write();
    text = text.replace(marked, () => `<!-- ${name} -->\n\n${written}\n\n<!-- /${name} -->`);
  }
  return text;
}

/** The glossary that opens `core/index.ts`: lines of a term and its meaning, two spaces or more apart. */
function glossaryMarkdown(): string {
  const lines = readFileSync(core, 'utf8').matchAll(/^ \* (\S+(?: \S+)*) {2,}(.+)$/gm);
  return table(
    ['Term', 'Meaning'],
    [...lines].map(([, term, meaning]) => [term as string, meaning as string]),
  );
}

/** Each group of commands as a table, in the order of help; those of records in a row for each kind. */
function commandsMarkdown(program: Command): string {
  const parts = groupedCommands(program).map(([group, commands]) => {
    const isOfRecords = group === commandGroups.records;
    const head = isOfRecords ? ['Records', 'Commands'] : ['Command', 'What it does'];
    return `## ${group.replace(/:$/, '')}\n\n${table(head, isOfRecords ? recordRows(commands) : commands.map(commandRow))}`;
  });
  return parts.join('\n\n');
}

function commandRow(command: Command): string[] {
  return [usageOf(command), command.description()];
}

function recordRows(commands: readonly Command[]): string[][] {
  const kinds = Map.groupBy(commands, (command) => command.name().split(':')[0] as string);
  return [...kinds].map(([kind, ofKind]) => [kind, ofKind.map(usageOf).join(', ')]);
}

function usageOf(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const word = `${argument.name().toUpperCase()}${argument.variadic ? ' …' : ''}`;
    return argument.required ? word : `[${word}]`;
  });
  return `\`${[command.name(), ...words].join(' ')}\``;
}

/** Reads the metrics as Prometheus does, with a sample of each, so that their labels are shown. */
async function metricsMarkdown(): Promise<string> {
  const { plugin, setup } = preparePlugin(fleetNats, {}, systemClock);
  const metrics = new Metrics(plugin.gauges?.(setup));
  metrics.begin();
  metrics.end('GET', '/x', 200, 1);
  metrics.blocked({ duration: 1000, by: 'x', underWay: [] });
  const agents = [{ agent: 'gpu1', slots: 4, running: 0 }];
  const counts = { lagSeconds: 0, due: 0, workers: 0, capacity: 0, agents };
  const clock = { clockHeldSeconds: 0, clockRepeatsSeconds: 0, clockSteps: 0 };
  const tasks = [{ company: 'acme', template: 1, state: 'open', count: 1 }] as const;
  const jobs = Object.fromEntries(jobStates.map((state) => [state, 1])) as Record<JobState, number>;
  const ended = { on_time: 1, late: 0, failed: 0, missed: 0, cancelled: 0 };
  const summary = { ...ended, ok: true, overdue: 0, will_be_late: 0, will_not_run: 0, paused: 0 };
  const text = await metrics.text({ ...counts, ...clock, jobs, tasks, summary });
  const rows = [...text.matchAll(/^# HELP (horarium_\w+) (.*)\n# TYPE \w+ (\w+)\n(?:\w+\{(.*?)\})?/gm)].map(
    ([, name, help = '', type = '', labels = '']) => [
      `\`${name}\``,
      type,
      [...labels.matchAll(/(\w+)="/g)].flatMap(([, label]) => (label === 'le' ? [] : [`\`${label}\``])).join(', '),
      help,
    ],
  );
  return table(['Metric', 'Type', 'Labels', 'What it measures'], rows);
}

function permissionsMarkdown(): string {
  const heads = {
    resource: 'Records',
    decided_by: 'Decided by',
    read: 'Read',
    create: 'Create',
    update: 'Change',
    delete: 'Delete',
  };
  const rows = permissionRows(standardModel.resources).map((row) =>
    Object.keys(heads).map((name) => row[name as keyof typeof row] ?? ''),
  );
  return table(Object.values(heads), rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}
