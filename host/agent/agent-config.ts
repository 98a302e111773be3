import { type FieldError, HorariumError } from '@horarium/core';
import type { Effective, ReadConfig } from '../config/read-config.ts';
import { variableOf } from '../config/setting.ts';
import type { Config } from '../config/settings.ts';
import { executorPlugins } from '../plugins/built-in.ts';
import { agentSettings } from './agent-settings.ts';

/**
 * Returns the settings of an agent, by default with the plugins that bring executors.
 * @throws HorariumError `invalid` with a sentence for each other setting that is set: an agent must not even know the database
 *   and the key of the service.
 */
export function agentConfig({ config, effective }: ReadConfig): Config {
  const errors = effective.filter(isForeign).map(foreignSetting);
  if (errors.length > 0) throw new HorariumError('invalid', errors.map(({ message }) => message).join('\n'), errors);
  return { ...config, plugins: config.plugins ?? executorPlugins };
}

function isForeign({ setting, source }: Effective): boolean {
  return source !== 'default' && !agentSettings.some((name) => name === setting.name);
}

function foreignSetting({ setting: { name }, source }: Effective): FieldError {
  const origin = source === 'environment' ? variableOf(name) : `${name} in ${source}`;
  return { field: name, message: `${origin} is not a setting of an agent, which has neither a store nor an API.` };
}
