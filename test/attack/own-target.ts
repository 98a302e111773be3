import { join } from 'node:path';
import { ServiceWorld, type StoreKind } from '../support/faults/service-world.ts';
import { NotTried } from './attack.ts';
import { Target } from './target.ts';

/** A plugin with pages beside those of the console, at a path of their own. */
const pagesPlugin = join(import.meta.dirname, '../support/program/pages-plugin.js');

/** Starts a service to attack, on a database of its own. @param settings environment variables `HORARIUM_…`. */
export async function openTarget(
  kind: StoreKind,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ target: Target } & AsyncDisposable> {
  const world = await ServiceWorld.create(kind, { HORARIUM_PLUGINS: `built-in,${pagesPlugin}`, ...settings });
  const { url } = await world.startService();
  const { token } = await world.run('token:generate', '--user', 'admin');
  const target = new Target(url, token, world);
  return {
    target,
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

/**
 * Returns the machine and the database of a target.
 * @throws NotTried for one that is known by its URL alone.
 */
export function worldOf({ world }: Target): ServiceWorld {
  if (!world) throw new NotTried('it takes the machine and the database of the service, not its URL alone');
  return world;
}

/**
 * Creates a database of its own, of the kind of the target's, for an attack that kills services or writes past them.
 * @throws NotTried for a target that is known by its URL alone.
 */
export async function createWorld(
  target: Target,
  ...[settings, options]: [Parameters<typeof ServiceWorld.create>[1]?, Parameters<typeof ServiceWorld.create>[2]?]
): Promise<ServiceWorld> {
  return ServiceWorld.create(worldOf(target).kind, settings, options);
}
