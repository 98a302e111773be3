import { serviceIds } from '../../service-ids.ts';
import { type Finding, ok } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** Loads the plugins that the settings name, without starting them. */
export async function checkPlugins(installation: Installation): Promise<Finding[]> {
  const { config } = await installation.settings();
  const plugins = await (await installation.host()).getAll(serviceIds.plugin);
  return [ok(`${plugins.length} can be used: ${config.plugins?.join(', ') ?? 'the built-in ones'}`)];
}
