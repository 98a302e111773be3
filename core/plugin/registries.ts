import type { EventSourceKind } from '../event/event-source-kind.ts';
import type { AnyExecutor } from '../executor/executor.ts';
import { Registry } from '../registry/registry.ts';
import type { Format } from './format.ts';
import type { PreparedPlugin } from './prepare-plugin.ts';

/** Everything that the loaded plugins contribute. */
export interface Registries {
  readonly formats: Registry<Format>;
  readonly executors: Registry<AnyExecutor>;
  readonly eventSourceKinds: Registry<EventSourceKind>;
}

/**
 * Registers what the plugins contribute, in the order given.
 * @throws HorariumError `conflict` naming both plugins when two bring the same thing.
 */
export function buildRegistries(prepared: readonly PreparedPlugin[]): Registries {
  const registries = {
    formats: new Registry<Format>('format'),
    executors: new Registry<AnyExecutor>('executor'),
    eventSourceKinds: new Registry<EventSourceKind>('event source kind'),
  };
  for (const { plugin, setup } of prepared) {
    for (const format of plugin.formats ?? []) registries.formats.put(format.suffix, format, plugin.name);
    for (const executor of plugin.executors?.(setup) ?? [])
      registries.executors.put(executor.name, executor, plugin.name);
    for (const kind of plugin.eventSourceKinds?.(setup) ?? [])
      registries.eventSourceKinds.put(kind.name, kind, plugin.name);
  }
  return registries;
}
