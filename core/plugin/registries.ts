import { HorariumError } from '../errors.ts';
import type { EventSourceKind } from '../event/event-source-kind.ts';
import type { AnyExecutor } from '../executor/executor.ts';
import { Registry } from '../registry/registry.ts';
import type { AnyCommand } from './command.ts';
import type { Plugin } from './define-plugin.ts';
import { checkShape, extensionShapes } from './extension-shape.ts';
import type { Format } from './format.ts';
import { importCommand } from './import-command.ts';
import type { AnyImporter } from './importer.ts';
import type { PreparedPlugin } from './prepare-plugin.ts';
import type { Route } from './route.ts';

/** Everything that the loaded plugins contribute. */
export interface Registries {
  readonly formats: Registry<Format>;
  readonly executors: Registry<AnyExecutor>;
  readonly eventSourceKinds: Registry<EventSourceKind>;
  /** The routes of plugins, by method and path. */
  readonly routes: Registry<Route>;
  readonly importers: Registry<AnyImporter>;
  /** The commands of plugins, and one command for each importer. */
  readonly commands: Registry<AnyCommand>;
}

/**
 * Registers what the plugins contribute, in the order given.
 * @throws HorariumError `invalid` naming a plugin and the member that one of its extensions lacks; `conflict` naming
 * both plugins when two bring the same thing.
 */
export function buildRegistries(prepared: readonly PreparedPlugin[]): Registries {
  const importers = registerImporters(prepared);
  return {
    formats: register(prepared, 'formats', 'format', ({ suffix }) => suffix),
    executors: register(prepared, 'executors', 'executor', ({ name }) => name),
    eventSourceKinds: register(prepared, 'eventSourceKinds', 'event source kind', ({ name }) => name),
    routes: register(prepared, 'routes', 'route', ({ method, path }) => `${method} ${path}`),
    importers,
    commands: registerCommands(prepared, importers),
  };
}

/** Registers the commands alone, for a command line that has no use for the rest. */
export function buildCommands(prepared: readonly PreparedPlugin[]): Registry<AnyCommand> {
  return registerCommands(prepared, registerImporters(prepared));
}

type Kind = keyof typeof extensionShapes;
type Listed<E> = E extends (setup: never) => infer L ? Listed<L> : E extends readonly (infer T)[] ? T : never;
type ExtensionOf<K extends Kind> = Listed<NonNullable<Plugin[K]>>;

function registerImporters(prepared: readonly PreparedPlugin[]): Registry<AnyImporter> {
  return register(prepared, 'importers', 'importer', ({ name }) => name);
}

function registerCommands(prepared: readonly PreparedPlugin[], importers: Registry<AnyImporter>): Registry<AnyCommand> {
  const commands = register(prepared, 'commands', 'command', ({ name }) => name);
  for (const importer of importers) {
    const command = importCommand(importer);
    commands.put(command.name, command, importers.ownerOf(importer.name));
  }
  return commands;
}

function register<K extends Kind>(
  prepared: readonly PreparedPlugin[],
  member: K,
  kind: string,
  keyOf: (extension: ExtensionOf<K>) => string,
): Registry<ExtensionOf<K>> {
  const registry = new Registry<ExtensionOf<K>>(kind);
  for (const { plugin, setup } of prepared) {
    const contribution: unknown = plugin[member];
    const extensions: unknown = typeof contribution === 'function' ? contribution(setup) : (contribution ?? []);
    if (!Array.isArray(extensions))
      throw new HorariumError('invalid', `The plugin ${plugin.name} brings ${member} that are not a list.`);
    for (const extension of extensions) {
      checkShape(plugin.name, kind, extensionShapes[member], extension);
      registry.put(keyOf(extension), extension, plugin.name);
    }
  }
  return registry;
}
