import type { EventSourceKind } from '../event/event-source-kind.ts';
import type { AnyExecutor } from '../executor/executor.ts';
import type { Fields, RowOf } from '../field/field-meta.ts';
import type { Clock } from '../loop/clock.ts';
import type { Format } from './format.ts';

/** What a plugin gets when the service starts. */
export interface PluginSetup<F extends Fields = Fields> {
  /** Validated against the plugin's `options`; what was left out has its default. */
  readonly options: RowOf<F>;
  readonly clock: Clock;
}

/** A plugin as plain data: what it puts on the service's registries, and what it wants to be told. */
export interface Plugin<F extends Fields = Fields> {
  readonly name: string;
  /** The version of this interface that it was written for. */
  readonly api: 1;
  /** Described with the same field helpers as records; whoever runs the service sets them under the plugin's name. */
  readonly options?: F;
  readonly formats?: readonly Format[];
  /** Executors often hold processes, so they are made when the service starts; it closes them at the end. */
  readonly executors?: (setup: PluginSetup<F>) => readonly AnyExecutor[];
  readonly eventSourceKinds?: (setup: PluginSetup<F>) => readonly EventSourceKind[];
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
