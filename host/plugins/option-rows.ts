import { describeFields, type FieldDescription, mask } from '@horarium/core';
import type { Config } from '../config/settings.ts';
import { builtInOptions } from './built-in.ts';

/** Kinds of options that hold no structure, in which a secret could be anywhere. */
const plainKinds: ReadonlySet<FieldDescription['kind']> = new Set([
  'text',
  'texts',
  'integer',
  'number',
  'flag',
  'choice',
  'instant',
]);

/** Options whose values may have secrets in them, as the arguments of a program do: `--env TOKEN=…`. */
const mayHoldSecrets: ReadonlySet<string> = new Set(['arguments']);

/** Whether a value is as plain as its kind: one that was mistaken may have a secret in it, and so may a URL and a PEM file. */
function isOfKind({ kind }: FieldDescription, value: unknown): boolean {
  if (!plainKinds.has(kind)) return false;
  if (Array.isArray(value))
    return kind === 'texts' && value.every((each) => typeof each === 'string' && isShowable(each));
  return typeof value === 'string' ? isShowable(value) : typeof value === 'number' || typeof value === 'boolean';
}

function isShowable(text: string): boolean {
  return !/PRIVATE KEY-----|\/\/[^/]*@/.test(text);
}

/**
 * Describes each option of the setting `plugin_options` in one row. It is masked unless a plugin that comes with the host
 * describes it as a plain one that is no secret: other plugins are not loaded, and may have secrets that they do not describe as such.
 * @param about the further columns of the rows, which say where the setting comes from.
 */
export async function pluginOptionRows(
  { plugin_options }: Pick<Config, 'plugin_options'>,
  about: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (const [plugin, options] of Object.entries(plugin_options)) {
    const described = describeFields((await builtInOptions(plugin)) ?? {});
    for (const [name, value] of Object.entries(options)) {
      const field = described.find((each) => each.name === name);
      const isPlain = field !== undefined && !field.secret && !mayHoldSecrets.has(name) && isOfKind(field, value);
      rows.push({
        ...about,
        setting: `plugin_options.${plugin}.${name}`,
        value: isPlain ? value : mask,
        meaning: field?.description ?? null,
      });
    }
  }
  return rows;
}
