import { type FieldError, HorariumError } from '../errors.ts';
import type { Fields } from '../field/field-meta.ts';
import { isPlainObject } from '../field/value-path.ts';
import type { Clock } from '../loop/clock.ts';
import { readField } from '../records/input.ts';
import type { AnyPlugin, PluginSetup } from './define-plugin.ts';

/** A plugin and what it was given. */
export interface PreparedPlugin {
  readonly plugin: AnyPlugin;
  readonly setup: PluginSetup;
}

/**
 * Checks what a plugin's options are set to.
 * @throws HorariumError `invalid` naming the plugin and every wrong option.
 */
export function preparePlugin(plugin: AnyPlugin, given: unknown, clock: Clock): PreparedPlugin {
  const fields: Fields = plugin.options ?? {};
  const errors: FieldError[] = [];
  if (!isPlainObject(given)) errors.push({ field: 'options', message: 'options must be an object' });
  const values = isPlainObject(given) ? given : {};
  for (const name of Object.keys(values))
    if (!Object.hasOwn(fields, name)) errors.push({ field: name, message: `there is no option ${name}` });
  const options: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = Object.hasOwn(values, name);
    options[name] = given ? readField(name, field, values[name], errors) : (field.getDefault() ?? null);
    if (!given && options[name] === null && !(field.describe() as { nullable: boolean }).nullable)
      errors.push({ field: name, message: `${name} is required` });
  }
  if (errors.length > 0) {
    const sentence = errors.map((error) => error.message).join('; ');
    throw new HorariumError('invalid', `The options of the plugin ${plugin.name} are wrong: ${sentence}.`, errors);
  }
  return { plugin, setup: { options, clock } };
}
