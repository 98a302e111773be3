import { HorariumError } from '../errors.ts';
import type { EventSourceKind } from '../event/event-source-kind.ts';
import type { AnyExecutor } from '../executor/executor.ts';
import type { Format } from '../plugin/format.ts';
import type { PreparedPlugin } from '../plugin/prepare-plugin.ts';

/** One kind of thing that plugins bring, by its key. */
export class Registry<T> implements Iterable<T> {
  readonly #kind: string;
  readonly #items = new Map<string, { readonly item: T; readonly owner: string }>();

  /** @param kind in words, for the sentence that refuses a second one: `format`. */
  constructor(kind: string) {
    this.#kind = kind;
  }

  /** @throws HorariumError `conflict` naming both plugins when the key is taken. */
  put(key: string, item: T, owner: string): void {
    const taken = this.#items.get(key);
    if (taken)
      throw new HorariumError(
        'conflict',
        `The plugins ${taken.owner} and ${owner} both bring the ${this.#kind} ${key}; only one of them can be loaded.`,
      );
    this.#items.set(key, { item, owner });
  }

  get(key: string): T | undefined {
    return this.#items.get(key)?.item;
  }

  keys(): string[] {
    return [...this.#items.keys()];
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const { item } of this.#items.values()) yield item;
  }
}

/** Everything that plugins brought. */
export interface Registries {
  readonly formats: Registry<Format>;
  readonly executors: Registry<AnyExecutor>;
  readonly eventSourceKinds: Registry<EventSourceKind>;
}

/**
 * Puts what the plugins bring on registries, in the order given.
 * @throws HorariumError `conflict` naming both plugins when two bring the same thing.
 */
export function buildRegistries(prepared: readonly PreparedPlugin[]): Registries {
  const shelves = {
    formats: new Registry<Format>('format'),
    executors: new Registry<AnyExecutor>('executor'),
    eventSourceKinds: new Registry<EventSourceKind>('event source kind'),
  };
  for (const { plugin, setup } of prepared) {
    for (const format of plugin.formats ?? []) shelves.formats.put(format.suffix, format, plugin.name);
    for (const executor of plugin.executors?.(setup) ?? []) shelves.executors.put(executor.name, executor, plugin.name);
    for (const kind of plugin.eventSourceKinds?.(setup) ?? [])
      shelves.eventSourceKinds.put(kind.name, kind, plugin.name);
  }
  return shelves;
}
