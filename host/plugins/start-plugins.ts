import { errorMessage, HorariumError, isStartedHere, type PreparedPlugin, type Registries } from '@horarium/core';

/** The plugins whose `start` has run. */
const started = new WeakSet<PreparedPlugin>();

/**
 * Starts plugins in their order, once the registries have what they provide.
 * @throws HorariumError `invalid` naming the first one that cannot be started; the executors are closed then.
 */
export async function startPlugins(
  plugins: readonly PreparedPlugin[],
  registries: Pick<Registries, 'executors'>,
): Promise<void> {
  try {
    for (const prepared of plugins) {
      started.add(prepared);
      await start(prepared);
    }
  } catch (error) {
    // What the executors own, such as processes, would keep this one alive, which is not to serve.
    await closeExecutors(registries);
    throw error;
  }
}

async function start({ plugin, setup }: PreparedPlugin): Promise<void> {
  try {
    await plugin.start?.(setup);
  } catch (error) {
    if (error instanceof HorariumError) throw error;
    throw new HorariumError('invalid', `The plugin ${plugin.name} cannot be started: ${errorMessage(error)}.`);
  }
}

/** Stops a plugin if it was started. */
export async function stopPlugin(prepared: PreparedPlugin): Promise<void> {
  if (started.has(prepared)) await prepared.plugin.stop?.(prepared.setup);
}

export async function closeExecutors({ executors }: Pick<Registries, 'executors'>): Promise<void> {
  await Promise.all([...executors].filter(isStartedHere).map((executor) => executor.close?.()));
}
