import { type FieldError, HorariumError } from '../errors.ts';
import type { Fields } from '../field/field-meta.ts';
import { isPlainObject } from '../field/value-path.ts';
import type { Clock } from '../loop/clock.ts';
import { readFields, requireFields } from '../records/input.ts';
import { completeOptions } from '../records/plugin-options.ts';
import { didYouMean } from '../registry/did-you-mean.ts';
import type { AnyPlugin, Plugin, PluginSetup } from './define-plugin.ts';
import { extensionKinds } from './extension-kinds.ts';

/** A plugin with its validated setup. */
export interface PreparedPlugin {
  readonly plugin: AnyPlugin;
  readonly setup: PluginSetup;
}

/** Takes a sentence that a plugin writes to the log of the service. */
export type PluginLog = (plugin: string, sentence: string) => void;

/** The form of each member of a plugin; null where it was checked when the plugin was loaded. */
const forms = {
  name: null,
  api: null,
  options: 'fields',
  formats: extensionKinds.formats.given,
  importers: extensionKinds.importers.given,
  calendarRules: extensionKinds.calendarRules.given,
  commands: extensionKinds.commands.given,
  resources: extensionKinds.resources.given,
  fields: extensionKinds.fields.given,
  executors: extensionKinds.executors.given,
  eventSourceKinds: extensionKinds.eventSourceKinds.given,
  actions: extensionKinds.actions.given,
  routes: extensionKinds.routes.given,
  assets: extensionKinds.assets.given,
  sessions: 'flag',
  tickers: extensionKinds.tickers.given,
  gauges: extensionKinds.gauges.given,
  checks: extensionKinds.checks.given,
  start: 'function',
  stop: 'function',
} satisfies Record<keyof Plugin, 'fields' | 'flag' | 'list' | 'function' | 'list or function' | null>;

/**
 * Checks a plugin's members and validates its options.
 * @throws HorariumError `invalid` naming the plugin and the member or every invalid option.
 */
export function preparePlugin(
  plugin: AnyPlugin,
  given: unknown,
  clock: Clock,
  log: PluginLog = () => {},
): PreparedPlugin {
  checkMembers(plugin);
  const fields: Fields = plugin.options ?? {};
  const errors: FieldError[] = [];
  if (!isPlainObject(given)) errors.push({ field: 'options', message: 'options must be an object' });
  const values = isPlainObject(given) ? given : {};
  const options = completeOptions(fields, readFields(fields, values, 'an option', errors));
  requireFields(fields, values, errors);
  if (errors.length > 0) {
    const sentence = errors.map((error) => error.message).join('; ');
    throw new HorariumError('invalid', `The options of the plugin ${plugin.name} are invalid: ${sentence}.`, errors);
  }
  return { plugin, setup: { options, clock, log: (sentence) => log(plugin.name, sentence) } };
}

/** Checks the names and kinds of a plugin's members, because a plugin with a misspelt one would load and do nothing. */
function checkMembers(plugin: AnyPlugin): void {
  const pluginError = (sentence: string) => new HorariumError('invalid', `The plugin ${plugin.name} ${sentence}`);
  for (const [member, value] of Object.entries(plugin)) {
    if (!isMember(member))
      throw pluginError(`has a member ${member}, which means nothing here.${didYouMean(member, Object.keys(forms))}`);
    if (value === undefined) continue;
    const form = forms[member];
    if (form === 'list' && !Array.isArray(value)) throw pluginError(`must have a list as its ${member}.`);
    if (form === 'function' && typeof value !== 'function') throw pluginError(`must have a function as its ${member}.`);
    if (form === 'list or function' && !Array.isArray(value) && typeof value !== 'function')
      throw pluginError(`must have a list as its ${member}, or a function that makes it.`);
    if (form === 'flag' && typeof value !== 'boolean') throw pluginError(`must have true or false as its ${member}.`);
    if (form === 'fields' && !isPlainObject(value))
      throw pluginError(`must have an object of fields as its ${member}.`);
  }
}

function isMember(name: string): name is keyof typeof forms {
  return Object.hasOwn(forms, name);
}
