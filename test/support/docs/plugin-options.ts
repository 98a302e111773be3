import { buildRegistries, systemClock } from '@horarium/core';
import { readSettings } from '../../../host/cli/setting-options.ts';
import { type PluginRow, pluginRows } from '../../../host/commands/plugin-kit.ts';
import { builtInNames, loadConfiguredPlugins } from '../../../host/plugins/built-in.ts';
import { sourceRoot } from '../../house/source-files.ts';

/** An option of a built-in plugin, or of something that it provides. */
export interface OptionRow {
  /** `plugin`, or what kind of extension it provides. */
  readonly provides: string;
  readonly name: string;
  readonly option: string;
  readonly meaning: string;
}

/** Lists the options of the built-in plugins, also of those that are loaded by name alone, and of the executors, actions, kinds of sources and importers that they provide. */
export async function pluginOptionRows(): Promise<OptionRow[]> {
  const machine = { cores: 1, timezone: 'UTC', terminal: false };
  const read = await readSettings({ environment: {}, folder: sourceRoot, machine });
  const config = { ...read.config, plugins: builtInNames };
  const plugins = await loadConfiguredPlugins(config, { serving: false, folder: sourceRoot, clock: systemClock });
  return pluginRows(plugins, buildRegistries(plugins))
    .filter(({ option }) => option !== '')
    .map(({ provides, name, option, ...rest }) => ({
      provides,
      name: `\`${name}\``,
      option: `\`${option}\``,
      meaning: meaningOf(rest),
    }));
}

function meaningOf({ kind, marks, values, default: initial, note }: Omit<PluginRow, 'provides' | 'name' | 'option'>) {
  // Descriptions that explain values one by one name them already.
  const choices = kind === 'choice' && !/[:;]/.test(note) ? `one of ${values}` : '';
  // The largest integer that every database stores is a bound of its own for none of them.
  const range = kind === 'integer' ? values.replace(/,? ?≤ 2147483647$/, '') : choices;
  const notes = [
    ...(marks === '' ? [] : [marks.replace('secret', 'kept as a secret')]),
    ...(range === '' ? [] : [range]),
    ...(initial === null || initial === undefined ? [] : [`default ${JSON.stringify(initial)}`]),
  ];
  return notes.length > 0 ? `${note} (${notes.join('; ')})`.trim() : note;
}
