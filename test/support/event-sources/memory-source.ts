import type { EventSourceKind, SourceChange } from '@horarium/core';
import { type EventSourceKind as Kind, text } from '@horarium/core/plugin';

/** A source of events in memory, which a test adds changes to and takes down. */
export class MemorySource {
  readonly changes: SourceChange[] = [];
  /** The cursor of the last acknowledgement. */
  acknowledged: string | null = null;
  /** `down` rejects at once, `silent` does not respond until the signal aborts, `deaf` not even then. */
  state: 'up' | 'down' | 'silent' | 'deaf' = 'up';
  connections = 0;
  /** How often it was opened. */
  opened = 0;
  warning: string | undefined;
  /** Called when changes are read, before they are returned. */
  onRead: () => Promise<void> | void = () => {};

  /** Adds changes of these keys. */
  add(...keys: string[]): void {
    for (const key of keys) this.addChange({ key });
  }

  addChange(change: Partial<SourceChange> & { readonly key: string }): void {
    const recordId = change.recordId ?? change.key;
    const payload = { recordid: recordId };
    this.changes.push({ evidence: 'order', operation: 'create', payload, ...change, recordId });
  }

  /** Responds as its state says. */
  async respond(signal: AbortSignal): Promise<void> {
    if (this.state === 'down') throw new Error('the server of the source is down');
    if (this.state === 'deaf') await new Promise(() => {});
    if (this.state !== 'silent') return;
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(new Error('the read was aborted')));
    if (signal.aborted) reject(new Error('the read was aborted'));
    await promise;
  }
}

/** A kind whose sources are those of a test, by the option `place`. The cursor is the number of changes before it. */
export function memoryKind(sources: { get(place: string): MemorySource | undefined }): EventSourceKind {
  const find = (options: Readonly<Record<string, unknown>>): MemorySource => {
    const source = sources.get(String(options['place']));
    if (!source) throw new Error(`there is no source ${options['place']}`);
    return source;
  };
  return {
    name: 'memory',
    options: { place: text(100).required(), password: text(100, { secret: 'encrypted' }) } satisfies Kind['options'],
    async probe(options, signal) {
      const source = find(options);
      source.connections++;
      try {
        await source.respond(signal);
      } finally {
        source.connections--;
      }
    },
    async open(options) {
      const source = find(options);
      source.connections++;
      source.opened++;
      let isOpen = true;
      return {
        async read(after, limit, signal) {
          if (!isOpen) throw new Error('the source is closed');
          await source.respond(signal);
          await source.onRead();
          const start = Number(after ?? 0);
          const changes = source.changes.slice(start, start + limit);
          const cursor = changes.length === 0 ? after : `${start + changes.length}`;
          return { changes, cursor, ...(source.warning !== undefined && { warning: source.warning }) };
        },
        async acknowledge(cursor) {
          source.acknowledged = cursor;
        },
        async close() {
          if (isOpen) source.connections--;
          isOpen = false;
        },
      };
    },
  };
}
