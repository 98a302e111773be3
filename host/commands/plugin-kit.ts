import { resolve } from 'node:path';
import {
  describeFields,
  type Fields,
  HorariumError,
  type PreparedPlugin,
  type Registries,
  systemClock,
} from '@horarium/core';
import type { PluginFields } from '@horarium/core/plugin';
import { type Command, Option } from 'commander';
import { openPluginSession } from '../cli/command-session.ts';
import type { Io } from '../cli/io.ts';
import { addFormatOption, print } from '../cli/output.ts';
import { addSettingOptions, readCommandSettings } from '../cli/setting-options.ts';
import { hasColours, paintWord } from '../cli/shown/colours.ts';
import { fieldRow } from './describe-commands.ts';

/** Adds `plugin:list`, `plugin:check`, `plugin:migration` and `plugin:new`, for those who use plugins and those who write them. */
export function addPluginKit(program: Command, io: Io): void {
  addList(program, io);
  addCheck(program, io);
  addMigration(program, io);
  addNew(program, io);
}

function addList(program: Command, io: Io): void {
  const command = addFormatOption(program.command('plugin:list')).description(
    'Show the loaded plugins, what they provide, and the options of both.',
  );
  addSettingOptions(command, ['plugins']).action(async () => {
    await using session = await openPluginSession(command, io);
    await print(io, command, pluginRows(session.plugins, session.registries));
  });
}

/** The word for each kind of extension, in the order in which they are shown. */
const extensionWords: Readonly<Record<keyof Registries, string>> = {
  executors: 'executor',
  eventSourceKinds: 'event source',
  actions: 'action',
  calendarRules: 'calendar rule',
  importers: 'importer',
  formats: 'format',
  commands: 'command',
  resources: 'resource',
  fields: 'field',
  routes: 'route',
  assets: 'assets',
  tickers: 'ticker',
  gauges: 'gauge',
  checks: 'check',
};

/**
 * Describes each plugin and what it provides: a row for each option, or a single row where there are none. The options of
 * commands are left out, because their `--help` shows them.
 * @param registries what the plugins provide.
 */
export function pluginRows(plugins: readonly PreparedPlugin[], registries: Registries): readonly PluginRow[] {
  return plugins.flatMap(({ plugin }) => {
    const provided = (Object.keys(extensionWords) as (keyof Registries)[]).flatMap((member) => {
      const registry = registries[member];
      const keys = registry.keys().filter((key) => registry.ownerOf(key) === plugin.name);
      return keys.flatMap((key) => extensionRows(member, key, registry.get(key) ?? {}));
    });
    return [...optionRows('plugin', plugin.name, plugin.options as Fields | undefined), ...provided];
  });
}

function extensionRows(member: keyof Registries, key: string, extension: object): readonly PluginRow[] {
  const word = extensionWords[member];
  if (member === 'fields') {
    const { of, columns } = (extension as PluginFields).fields;
    return columns.filter(({ hidden }) => !hidden).flatMap(({ name }) => optionRows(word, `${of.name}.${name}`));
  }
  const { options } = extension as { readonly options?: Fields };
  return optionRows(word, key, member === 'commands' ? undefined : options);
}

/** An option of a plugin or of something that it provides; the empty option stands for a thing without options. */
export type PluginRow = ReturnType<typeof optionRows>[number];

function optionRows(provides: string, name: string, options: Fields = {}) {
  const rows = describeFields(options).map((option) => {
    const { field, kind, marks, default: initial, values, note } = fieldRow(option);
    return { provides, name, option: field, kind, marks, default: initial, values, note };
  });
  const empty = { provides, name, option: '', kind: '', marks: '', default: null as unknown, values: '', note: '' };
  return rows.length > 0 ? rows : [empty];
}

function addCheck(program: Command, io: Io): void {
  const command = program
    .command('plugin:check')
    .description('Load a plugin as the service does, and check it against its contracts.')
    .argument('<path>', 'its file, or the folder of its package; fixtures.js beside it says what to check');
  command.action(async (path: string) => {
    const { failureOf, loadPluginUnderTest } = await import('../plugins/check-plugin.ts');
    const { name, clauses } = await loadPluginUnderTest(path, io.folder, systemClock);
    const word = (text: string) => paintWord(hasColours(io), text);
    let failed = 0;
    for (const clause of clauses) {
      const failure = await failureOf(clause, systemClock);
      if (failure !== null) failed++;
      await io.out(
        failure === null
          ? `${word('ok')}      ${clause.title}\n`
          : `${word('FAILED')}  ${clause.title}\n        ${failure}\n`,
      );
    }
    if (failed > 0)
      throw new HorariumError('invalid', `The plugin ${name} fails ${failed} of ${clauses.length} checks.`);
    const verdict =
      clauses.length === 0 ? 'nothing that it provides has a contract' : `${clauses.length} checks passed`;
    await io.out(`The plugin ${name} can be used: ${verdict}.\n`);
  });
}

function addMigration(program: Command, io: Io): void {
  const command = program
    .command('plugin:migration')
    .description(
      'Print the next migration of the loaded plugins. It is SQL for the tables and columns that the database lacks.',
    );
  addSettingOptions(command, ['database_url', 'plugins']).action(async () => {
    const read = await readCommandSettings(command, io);
    const [{ openCommandHost }, { serviceIds }] = await Promise.all([
      import('../open-host.ts'),
      import('../service-ids.ts'),
    ]);
    await using host = await openCommandHost(read, io);
    const { schema } = await host.get(serviceIds.store);
    await io.out((await schema?.difference?.()) ?? '');
  });
}

function addNew(program: Command, io: Io): void {
  const command = program
    .command('plugin:new')
    .description('Write the folder of a new plugin: code, fixtures, a passing test and a README.')
    .argument('<kind>', 'what it provides: executor, action, event-source, format, route or command')
    .argument('<name>', 'its name, such as my-thing')
    .addOption(new Option('--folder <folder>', 'where to write it').default(undefined, './NAME'));
  command.action(async (kind: string, name: string) => {
    const { writeNewPlugin } = await import('../plugins/new-plugin.ts');
    const { folder = name } = command.opts<{ folder?: string }>();
    const files = await writeNewPlugin(kind, name, resolve(io.folder, folder));
    for (const file of files) await io.out(`${folder}/${file}\n`);
    await io.err(`Next: cd ${folder} && npm install && npm test\n`);
  });
}
