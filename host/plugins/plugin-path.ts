import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Returns the module that the path of a plugin names: the file itself, or of a folder what its `package.json` exports.
 * @throws Error when the folder has no `package.json`, or one that exports nothing.
 */
export function pluginModule(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  const packageFile = join(path, 'package.json');
  if (!existsSync(packageFile)) throw new Error('the folder has no package.json');
  const require = createRequire(packageFile);
  const manifest = require('./package.json') as { readonly name?: string; readonly exports?: unknown };
  // A package with exports is resolved as others that depend on it resolve it, by its name.
  return require.resolve(manifest.exports !== undefined && manifest.name ? manifest.name : path);
}

/** Returns the module with the fixtures of a plugin, which lies beside the plugin's own; undefined where there is none. */
export function fixturesModule(plugin: string): string | undefined {
  return ['fixtures.js', 'fixtures.mjs', 'fixtures.ts']
    .map((name) => join(dirname(plugin), name))
    .find((path) => existsSync(path));
}
