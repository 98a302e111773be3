import type { PreparedPlugin, Registries } from '@horarium/core';
import { version } from '../version.ts';
import { isBuiltIn } from './built-in.ts';
import { versionOfPlugin } from './plugin-version.ts';

/** A loaded plugin, and what it brings. */
export interface ShownPlugin {
  readonly name: string;
  /** Whether it comes with the host. */
  readonly built_in: boolean;
  /** That of the host, or of the package that has it; null where there is none. */
  readonly version: string | null;
  /** The keys of its extensions, by the member of the plugin that has them: `{"executors": ["native"]}`. */
  readonly brings: Readonly<Record<string, readonly string[]>>;
}

/** Describes each loaded plugin in one row. */
export function pluginRows(
  plugins: readonly PreparedPlugin[],
  registries: Partial<Registries>,
): Promise<ShownPlugin[]> {
  return Promise.all(
    plugins.map(async ({ plugin }) => {
      const built_in = await isBuiltIn(plugin);
      const brings = Object.entries(registries)
        .map(([member, registry]) => [member, registry.keys().filter((key) => registry.ownerOf(key) === plugin.name)])
        .filter(([, keys]) => keys && keys.length > 0);
      return {
        name: plugin.name,
        built_in,
        version: built_in ? version : versionOfPlugin(plugin),
        brings: Object.fromEntries(brings),
      };
    }),
  );
}
