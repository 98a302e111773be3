import { errorMessage, HorariumError } from '../errors.ts';
import { Registry } from '../registry/registry.ts';
import {
  checkExtension,
  type ExtensionMember,
  type ExtensionOf,
  extensionKinds,
  extensionMembers,
} from './extension-kinds.ts';
import { importOf } from './import/file-import.ts';
import { importCommand } from './import/import-command.ts';
import { importRoute } from './import/import-route.ts';
import type { PreparedPlugin } from './prepare-plugin.ts';

/** Everything that the loaded plugins provide, by the member of the plugin that contains it. */
export type Registries = { readonly [M in ExtensionMember]: Registry<ExtensionOf<M>> };

/**
 * Registers what the plugins provide, in the order given. Each importer gets a command and a route as well.
 * @throws HorariumError `invalid` naming a plugin and the member that one of its extensions lacks; `conflict` naming
 * both plugins when two provide the same thing.
 */
export function buildRegistries(prepared: readonly PreparedPlugin[]): Registries {
  const entries = extensionMembers.map((member) => [member, register(prepared, member)]);
  const registries = Object.fromEntries(entries) as Registries;
  addImportCommands(registries);
  addImportRoutes(registries);
  return registries;
}

/** Registers the commands alone, for a command line that has no use for the rest. */
export function buildCommands(prepared: readonly PreparedPlugin[]): Registries['commands'] {
  const registries = { importers: register(prepared, 'importers'), commands: register(prepared, 'commands') };
  addImportCommands(registries);
  return registries.commands;
}

/** Registers the resources and fields alone, which the store needs before the rest. */
export function buildResources(prepared: readonly PreparedPlugin[]): Pick<Registries, 'resources' | 'fields'> {
  return { resources: register(prepared, 'resources'), fields: register(prepared, 'fields') };
}

/** Registers alone what the HTTP API serves at paths of plugins, to check those paths. */
export function buildPaths(prepared: readonly PreparedPlugin[]): Pick<Registries, 'routes' | 'assets'> {
  return { routes: register(prepared, 'routes'), assets: register(prepared, 'assets') };
}

function addImportCommands({ importers, commands }: Pick<Registries, 'importers' | 'commands'>): void {
  for (const importer of importers) {
    const command = importCommand(importer);
    commands.put(command.name, command, importers.ownerOf(importer.name));
  }
}

function addImportRoutes({ importers, routes }: Pick<Registries, 'importers' | 'routes'>): void {
  for (const importer of importers) {
    const route = importRoute(importOf(importer));
    routes.put(extensionKinds.routes.keyOf(route), route, importers.ownerOf(importer.name));
  }
}

function register<M extends ExtensionMember>(prepared: readonly PreparedPlugin[], member: M): Registry<ExtensionOf<M>> {
  const { name, keyOf } = extensionKinds[member];
  const registry = new Registry<ExtensionOf<M>>(name);
  for (const { plugin, setup } of prepared) {
    const extensions = extensionsOf({ plugin, setup }, member);
    if (!Array.isArray(extensions))
      throw new HorariumError('invalid', `The plugin ${plugin.name} provides ${member} that are not a list.`);
    for (const extension of extensions) {
      checkExtension(plugin.name, member, extension);
      registry.put(keyOf(extension), extension, plugin.name);
    }
  }
  return registry;
}

/** Returns what a member of a plugin holds, or makes. */
function extensionsOf({ plugin, setup }: PreparedPlugin, member: ExtensionMember): unknown {
  const provided: unknown = plugin[member];
  try {
    return typeof provided === 'function' ? provided(setup) : (provided ?? []);
  } catch (error) {
    if (error instanceof HorariumError) throw error;
    throw new HorariumError('invalid', `The plugin ${plugin.name} cannot make its ${member}: ${errorMessage(error)}.`);
  }
}
