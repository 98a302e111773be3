import { errorMessage } from '../errors.ts';

/** A mistake in the code of a plugin, which it makes while it is used. Its cause is the error that the code threw. */
export class PluginFailure extends Error {
  readonly plugin: string;

  constructor(plugin: string, cause: unknown) {
    super(`The plugin ${plugin} failed: ${errorMessage(cause)}`, { cause });
    this.name = 'PluginFailure';
    this.plugin = plugin;
  }
}

/**
 * Runs code of a plugin.
 * @param isExpected whether an error is no mistake of the code, such as one that the caller is to be told.
 * @throws PluginFailure for any other error.
 */
export async function blamePlugin<T>(
  plugin: string,
  isExpected: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isExpected(error) ? error : new PluginFailure(plugin, error);
  }
}
