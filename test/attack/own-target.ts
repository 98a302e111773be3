import { ServiceWorld, type StoreKind } from '../support/faults/service-world.ts';
import { Target } from './target.ts';

/** Starts a service to attack, on a database of its own. */
export async function openTarget(kind: StoreKind): Promise<{ target: Target } & AsyncDisposable> {
  const world = await ServiceWorld.create(kind);
  const { url } = await world.startService();
  const { token } = await world.run('token:generate', '--user', 'admin');
  return { target: new Target(url, token), [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}
