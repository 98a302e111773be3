import type { EventSourceKind } from '../event/event-source-kind.ts';
import type { AnyExecutor } from '../executor/executor.ts';
import type { Fields, RowOf } from '../field/field-meta.ts';
import type { Clock } from '../loop/clock.ts';
import type { AnyCommand } from './command.ts';
import type { Format } from './format.ts';
import type { AnyImporter } from './importer.ts';
import type { Route } from './route.ts';

/** The setup that a plugin receives when the service starts. */
export interface PluginSetup<F extends Fields = Fields> {
  /** Validated against the plugin's `options`; what was left out has its default. */
  readonly options: RowOf<F>;
  readonly clock: Clock;
}

/** A plugin as plain data: the extensions that the service registers, and hooks of its life. */
export interface Plugin<F extends Fields = Fields> {
  readonly name: string;
  /** The version of the plugin interface that it is written for. */
  readonly api: 1;
  /** Described with the same field helpers as records; the setting `plugin_options` holds them by the plugin's name. */
  readonly options?: F;
  readonly formats?: readonly Format[];
  readonly importers?: readonly AnyImporter[];
  readonly commands?: readonly AnyCommand[];
  /** Makes the executors when the service starts; they are closed at its end, because they often hold processes. */
  readonly executors?: (setup: PluginSetup<F>) => readonly AnyExecutor[];
  readonly eventSourceKinds?: (setup: PluginSetup<F>) => readonly EventSourceKind[];
  readonly routes?: (setup: PluginSetup<F>) => readonly Route[];
  /** Runs after every plugin was loaded and before the first request and the first job. */
  readonly start?: (setup: PluginSetup<F>) => Promise<void> | void;
  /** Runs after the last job has ended. */
  readonly stop?: () => Promise<void> | void;
}

/** Any plugin, where its options do not matter to the types. */
// biome-ignore lint/suspicious/noExplicitAny: the options type is used in both directions, so only any fits them all.
export type AnyPlugin = Plugin<any>;

/** Lets the compiler check a plugin. It does nothing else: a plugin is data. */
export function definePlugin<const F extends Fields>(plugin: Plugin<F>): Plugin<F> {
  return plugin;
}
