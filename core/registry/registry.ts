import { HorariumError } from '../errors.ts';
import { setPlugin } from './plugin-mistakes.ts';

/** Registers the things of one kind that plugins provide, by key. */
export class Registry<T> implements Iterable<T> {
  readonly #kind: string;
  readonly #items = new Map<string, { readonly item: T; readonly owner: string }>();

  /** @param kind names what is registered in the sentence that refuses a second one: `format`. */
  constructor(kind: string) {
    this.#kind = kind;
  }

  /** @throws HorariumError `conflict` naming both plugins, or the one, when the key is taken. */
  put(key: string, item: T, owner: string): void {
    const taken = this.#items.get(key);
    if (taken?.owner === owner)
      throw new HorariumError('conflict', `The plugin ${owner} provides the ${this.#kind} ${key} twice.`);
    if (taken)
      throw new HorariumError(
        'conflict',
        `The plugins ${taken.owner} and ${owner} both provide the ${this.#kind} ${key}; only one of them can be loaded.`,
      );
    this.#items.set(key, { item, owner });
    setPlugin(item, owner);
  }

  get(key: string): T | undefined {
    return this.#items.get(key)?.item;
  }

  /** Names the plugin that provides a thing. @throws Error when there is nothing of that key. */
  ownerOf(key: string): string {
    const item = this.#items.get(key);
    if (!item) throw new Error(`There is no ${this.#kind} ${key}.`);
    return item.owner;
  }

  keys(): string[] {
    return [...this.#items.keys()];
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const { item } of this.#items.values()) yield item;
  }
}
