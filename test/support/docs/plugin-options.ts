import { describeFields, type Fields, systemClock } from '@horarium/core';
import { readSettings } from '../../../host/cli/setting-options.ts';
import { loadConfiguredPlugins } from '../../../host/plugins/built-in.ts';
import { sourceRoot } from '../../house/source-files.ts';

/** An option of a built-in plugin, or of something that it provides. */
export interface OptionRow {
  readonly of: string;
  readonly option: string;
  readonly meaning: string;
}

/** Lists the options of the built-in plugins, and of the executors, actions, kinds of sources and importers that they provide. */
export async function pluginOptionRows(): Promise<OptionRow[]> {
  const machine = { cores: 1, timezone: 'UTC', terminal: false };
  const { config } = await readSettings({ environment: {}, folder: sourceRoot, machine });
  const plugins = await loadConfiguredPlugins(config, { serving: false, folder: sourceRoot, clock: systemClock });
  return plugins.flatMap(({ plugin, setup }) => {
    const provided = [
      ...(plugin.executors?.(setup) ?? []).map(({ name, options }) => [`executor \`${name}\``, options] as const),
      ...(plugin.actions?.(setup) ?? []).map(({ name, options }) => [`action \`${name}\``, options] as const),
      ...(plugin.eventSourceKinds?.(setup) ?? []).map(({ name, options }) => [`source \`${name}\``, options] as const),
      ...(plugin.importers ?? []).map(({ name, options }) => [`importer \`${name}\``, options] as const),
    ];
    const own = [`plugin \`${plugin.name}\``, plugin.options] as const;
    return [own, ...provided].flatMap(([of, options]) => optionRows(of, options ?? {}));
  });
}

function optionRows(of: string, options: Fields): OptionRow[] {
  return describeFields(options).map(
    ({ name, description = '', values, required, secret, restricts, default: initial }) => {
      const notes = [
        ...(required ? ['required'] : []),
        ...(secret ? ['kept as a secret'] : []),
        ...(restricts ? ['restricts'] : []),
        ...(values && !/[:;]/.test(description) ? [`one of ${values.join(', ')}`] : []),
        ...(initial === null || initial === undefined ? [] : [`default ${JSON.stringify(initial)}`]),
      ];
      const meaning = notes.length > 0 ? `${description} (${notes.join('; ')})`.trim() : description;
      return { of, option: `\`${name}\``, meaning };
    },
  );
}
