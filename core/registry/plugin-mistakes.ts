import { errorMessage, PluginFailure } from '../errors.ts';

/** The plugins that provide extensions. */
const owners = new WeakMap<object, string>();

/** Notes which plugin provides an extension. */
export function setPlugin(extension: unknown, plugin: string): void {
  if (typeof extension === 'object' && extension !== null) owners.set(extension, plugin);
}

/** Names the plugin that provides an extension; undefined for one that an embedder gives. */
export function pluginOf(extension: object): string | undefined {
  return owners.get(extension);
}

/**
 * The message of an error with which an extension says that something else failed, such as a receiver. One that is a mistake in
 * its own code names the plugin.
 */
export function extensionMessage(extension: object, error: unknown): string {
  const plugin = pluginOf(extension);
  return plugin !== undefined && isMistake(error) ? new PluginFailure(plugin, error).message : errorMessage(error);
}

/** Whether an error is a mistake in the code that threw it. Node also has a TypeError for a request that failed, with its cause. */
function isMistake(error: unknown): boolean {
  if (!(error instanceof Error) || error.cause !== undefined || 'code' in error) return false;
  return [TypeError, ReferenceError, RangeError, SyntaxError].some((type) => error instanceof type);
}
