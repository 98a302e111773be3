import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildPaths, type Clock, errorMessage, HorariumError, type Milliseconds, preparePlugin } from '@horarium/core';
import { type Clause, type PluginFixtures, pluginContract } from '@horarium/core/contracts';
import { Assets } from '../../adapters/http/assets/assets.ts';
import { apiRoutes } from '../../adapters/http/routes/api-routes.ts';
import { standardModel, withPlugins } from '../model.ts';
import { loadPlugin } from './load-plugins.ts';
import { fixturesModule, pluginModule } from './plugin-path.ts';

export interface PluginUnderTest {
  readonly name: string;
  readonly clauses: readonly Clause[];
}

/** How long one check may take. */
const timeLimit: Milliseconds = 60_000;

/**
 * Loads a plugin as the service does, with the fixtures of its contracts from the module `fixtures` beside it.
 * @param path that of its file or of the folder of its package, relative to `folder`.
 * @throws HorariumError `invalid` or `conflict` with the reason why the service would not load it, such as a route that the API
 * has or a folder of assets that is missing.
 */
export async function loadPluginUnderTest(path: string, folder: string, clock: Clock): Promise<PluginUnderTest> {
  const absolute = resolve(folder, path);
  const plugin = await loadPlugin(absolute, { builtIn: {}, folder });
  const fixtures = await readFixtures(pluginModule(absolute));
  const clauses = await pluginContract(plugin, fixtures, clock);
  const prepared = [preparePlugin(plugin, fixtures.options ?? {}, clock)];
  const { routes, assets } = buildPaths(prepared);
  apiRoutes(withPlugins(standardModel, prepared).resources, routes);
  new Assets(assets, '');
  return { name: plugin.name, clauses };
}

async function readFixtures(plugin: string): Promise<PluginFixtures> {
  const path = fixturesModule(plugin);
  if (path === undefined) return {};
  try {
    const { default: fixtures } = (await import(pathToFileURL(path).href)) as { default?: PluginFixtures };
    if (typeof fixtures === 'object' && fixtures !== null) return fixtures;
  } catch (error) {
    throw new HorariumError('invalid', `The fixtures ${path} cannot be loaded: ${errorMessage(error)}.`);
  }
  throw new HorariumError(
    'invalid',
    `The fixtures ${path} have no default export: export default defineFixtures({ … }).`,
  );
}

/** Runs one check. @returns null when the plugin fulfils the clause, else what it does not. */
export async function failureOf({ check }: Clause, clock: Clock): Promise<string | null> {
  const ended = new AbortController();
  const timedOut = clock.sleep(timeLimit, ended.signal).then(() => `It did not end within ${timeLimit / 1000} s.`);
  const checked = check().then(() => null, errorMessage);
  const failure = await Promise.race([checked, timedOut]);
  ended.abort();
  return failure;
}
