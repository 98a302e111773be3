import type { OpenEventSource, SourceChange } from '../../event/event-source-kind.ts';
import { assert } from '../clause.ts';
import { type CheckedSources, requireSentence } from './sources-under-test.ts';

/** The checks of kinds that are read, by title. */
export const readingChecks: Readonly<Record<string, (checked: CheckedSources) => Promise<void>>> = {
  async 'rejects with a sentence when it opens or reads what cannot be read, and closes its connection'(checked) {
    for (const options of checked.sources.unreadable) {
      await requireSentence('Opening and reading', checked.readOnce(options));
      await checked.requireDisconnected('A source that cannot be read');
    }
  },

  async 'reads every event once, in the same order whatever the size of the batches'(checked) {
    const { length } = await checked.sources.events();
    assert(length > 1, 'The readable source must have two events at least', length);
    const orders = await checked.using(async (source) => {
      const read: string[][] = [];
      for (const limit of [1, 2, 500]) read.push(keysOf((await checked.readAll(source, null, limit)).changes));
      return read;
    });
    for (const keys of orders) {
      assert(new Set(keys).size === keys.length, 'Every change must have a key of its own, and be read once', keys);
      assert(keys.length === length, `All ${length} events must be read`, keys.length);
      assert(`${keys}` === `${orders[0]}`, 'The order must not depend on the size of the batches', orders);
    }
  },

  async 'goes on after any cursor, in another connection too'(checked) {
    const all = await checked.using((source) => checked.readAll(source, null, 500));
    let cursor: string | null = null;
    for (const key of keysOf(all.changes)) {
      const batch = await checked.using((source) => source.read(cursor, 1, new AbortController().signal));
      assert(batch.changes[0]?.key === key, `The next change must be ${key}`, batch.changes[0]?.key);
      cursor = batch.cursor;
    }
    const rest = await checked.using((source) => checked.readAll(source, cursor, 500));
    assert(rest.changes.length === 0, 'No change must follow the last one', keysOf(rest.changes));
  },

  async 'reads the same changes again after the same cursor, because the host may die before it has stored them'(
    checked,
  ) {
    const [first, again] = await checked.using(async (source) => [
      await checked.readAll(source, null, 2),
      await checked.readAll(source, null, 2),
    ]);
    const isSame = JSON.stringify(first?.changes) === JSON.stringify(again?.changes);
    assert(isSame, 'A second read after the same cursor must have the same changes', again?.changes);
  },

  async 'reads events that were added after the last cursor, and none of those before'(checked) {
    await checked.using(async (source) => {
      const before = await checked.readAll(source, null, 500);
      await checked.addEvent();
      await checked.addEvent();
      const added = await readUntil(checked, source, before.cursor, 2);
      const known = new Set(keysOf(before.changes));
      const isNew = added.every(({ key }) => !known.has(key));
      assert(isNew && added.length === 2, 'The two added events must be read, and no other', keysOf(added));
    });
  },

  async 'lets everything after an acknowledged cursor be read, however often it is acknowledged'(checked) {
    await checked.addEvent();
    await checked.addEvent();
    const { length } = await checked.sources.events();
    await checked.using(async (source) => {
      const { signal } = new AbortController();
      const changes = await readUntil(checked, source, null, length);
      const batch = await source.read(null, 1, signal);
      for (let times = 0; times < 2; times++)
        if (batch.cursor !== null) await source.acknowledge?.(batch.cursor, signal);
      const rest = keysOf((await checked.readAll(source, batch.cursor, 500)).changes);
      const expected = keysOf(changes).slice(1);
      assert(`${rest}` === `${expected}`, 'Every later change must be read after an acknowledgement', rest);
    });
  },

  async 'settles and closes its connection when the signal aborts while it opens or reads'(checked) {
    for (const options of checked.sources.unresponsive)
      await checked.requireAbortable('Opening and reading', (signal) => checked.readOnce(options, signal));
  },

  async 'closes its connection when the source is closed, and reads no more'(checked) {
    const source = await checked.open();
    await source.read(null, 10, new AbortController().signal);
    await source.close();
    await source.close();
    await checked.requireDisconnected('A closed source');
    await requireSentence('Reading a closed source', source.read(null, 10, new AbortController().signal));
  },
};

function keysOf(changes: readonly SourceChange[]): string[] {
  return changes.map(({ key }) => key);
}

/** Reads after a position until that many changes have come: a source may hold back what is not settled yet. */
async function readUntil(checked: CheckedSources, source: OpenEventSource, after: string | null, count: number) {
  const changes: SourceChange[] = [];
  let cursor = after;
  await checked.require(`${count} added events must be read`, async () => {
    const batch = await checked.readAll(source, cursor, 500);
    changes.push(...batch.changes);
    cursor = batch.cursor;
    return changes.length >= count;
  });
  return changes;
}
