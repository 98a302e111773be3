import { pluginsOf } from '../../adapters/mikro-orm/schema/schema.ts';
import { loadedByDefault } from '../plugins/built-in.ts';

/** Returns the plugins that a store was made without, where they alone need migrations; none = an older version has made it. */
export function addedPlugins(pending: readonly string[]): readonly string[] {
  const plugins = pluginsOf(pending);
  return plugins.some((name) => loadedByDefault.includes(name)) ? [] : plugins;
}
