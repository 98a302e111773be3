import { type Fields, fieldTable } from '@horarium/core';
import type { Command } from 'commander';
import { describeField } from '../cli/describe-field.ts';
import type { Io } from '../cli/io.ts';
import { addFormat, print } from '../cli/output-option.ts';
import { addSettings, settingsOf } from '../cli/settings-options.ts';

/** `plugins`: what a run template or an event source may ask for, without a store. */
export function addPluginsCommand(program: Command, io: Io): void {
  const command = addFormat(program.command('plugins')).description(
    'Show what the loaded plugins bring, and the options that a run template or an event source gives it.',
  );
  addSettings(command, ['plugins']).action(async () => {
    const { config } = await settingsOf(command, io);
    const [{ openHost }, { noEvents }, { tokens }] = await Promise.all([
      import('../open-host.ts'),
      import('../modules/core-module.ts'),
      import('../tokens.ts'),
    ]);
    const surroundings = { serving: false, makesStore: false, capacity: 0, address: () => '', events: noEvents };
    await using host = await openHost(config, { ...surroundings, folder: io.folder });
    const { formats, executors, eventSourceKinds } = await host.get(tokens.shelves);
    await print(io, command, [
      ...[...executors].flatMap(({ name, options }) => rows('executor', name, options)),
      ...[...eventSourceKinds].flatMap(({ name, options }) => rows('event source', name, options)),
      ...[...formats].flatMap(({ suffix }) => rows('format', suffix, {})),
    ]);
  });
}

/** One for each option, or one alone. */
function rows(brings: string, name: string, options: Fields) {
  const described = fieldTable(options).map((option) => {
    const { field, kind, marks, values, note } = describeField(option);
    return { brings, name, option: field, kind, marks, values, note };
  });
  return described.length > 0 ? described : [{ brings, name, option: '', kind: '', marks: '', values: '', note: '' }];
}
