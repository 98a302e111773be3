import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnyPlugin } from '@horarium/core';

const versions = new WeakMap<AnyPlugin, string>();

/**
 * Reads the version of the package that a plugin was loaded from: a later one that is installed while it runs is not its own.
 * @param module the URL of its file.
 */
export function readPluginVersion(plugin: AnyPlugin, module: string): void {
  const file = packageFileAbove(fileURLToPath(module));
  if (file === null) return;
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: unknown };
  if (typeof version === 'string') versions.set(plugin, version);
}

/** Returns the version of the package that a plugin was loaded from; null where it has none, or comes with the host. */
export function versionOfPlugin(plugin: AnyPlugin): string | null {
  return versions.get(plugin) ?? null;
}

/** Finds the nearest `package.json`. Node's own search remembers where there was none. */
function packageFileAbove(path: string): string | null {
  const folder = dirname(path);
  if (folder === path) return null;
  const file = join(folder, 'package.json');
  return existsSync(file) ? file : packageFileAbove(folder);
}
