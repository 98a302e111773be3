import type { ChangeBatch, EventSourceKind, OpenEventSource } from '@horarium/core';
import { eventSourceContract, StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { MemorySource, memoryKind } from '../../support/event-sources/memory-source.ts';
import { violations } from '../../support/mocha/violations.ts';

/** A clock that sleeping advances, without taking time. */
class PassingClock extends StandingClock {
  override async sleep(duration = 0): Promise<void> {
    this.at += duration;
  }
}

type Read = OpenEventSource['read'];

/** Returns the clauses for sources in memory, whose kind is changed in some way. */
function clausesFor(broken: (kind: EventSourceKind, sources: Map<string, MemorySource>) => EventSourceKind) {
  const make = () => {
    const sources = new Map(['up', 'down', 'silent'].map((place) => [place, new MemorySource()]));
    const [up, down, silent] = [...sources.values()] as [MemorySource, MemorySource, MemorySource];
    up.add('a', 'b', 'c');
    [down.state, silent.state] = ['down', 'silent'];
    const at = (place: string) => ({ place, password: null });
    return {
      kind: broken(memoryKind(sources), sources),
      readable: at('up'),
      unreadable: [at('down'), at('missing')],
      unresponsive: [at('silent')],
      events: async () => [...up.changes],
      addEvent: async () => up.add(`added ${up.changes.length}`),
      connections: () => up.connections + down.connections + silent.connections,
    };
  };
  return eventSourceContract(make, new PassingClock());
}

/** Changes what an opened source does. */
function opened(change: (source: OpenEventSource) => Partial<OpenEventSource>) {
  return (kind: EventSourceKind): EventSourceKind => ({
    ...kind,
    open: async (options, signal) => {
      const source = (await kind.open?.(options, signal)) as OpenEventSource;
      return { ...source, ...change(source) };
    },
  });
}

/** Changes the batches that are read. */
function batches(change: (batch: ChangeBatch, ...given: Parameters<Read>) => ChangeBatch) {
  return opened(({ read }) => ({ read: async (...given) => change(await read(...given), ...given) }));
}

describe('The contract of event sources that are read', () => {
  it('accepts the source in memory', async () => {
    expect(await violations(clausesFor((kind) => kind))).to.deep.equal([]);
  });

  const broken: readonly (readonly [what: string, ...Parameters<typeof clausesFor>, violation: RegExp])[] = [
    ['has no open', ({ open: _, ...kind }) => kind, /^A kind that is read must have open$/],
    [
      'reads though it cannot',
      opened(() => ({ read: async () => ({ changes: [], cursor: null }) })),
      /^Opening and reading must reject when events cannot be read$/,
    ],
    [
      'has more changes in a batch than were asked for',
      opened(({ read }) => ({ read: (after, limit, signal) => read(after, limit + 1, signal) })),
      /^A batch must have at most as many changes as were asked for, 1; it was 2$/,
    ],
    [
      'loses the last change of a batch',
      batches((batch) => ({
        ...batch,
        changes: batch.changes.length > 1 ? batch.changes.slice(0, -1) : batch.changes,
      })),
      /^All 3 events must be read; it was 2$|^The order must not depend on the size/,
    ],
    [
      'repeats a change',
      batches((batch, after) =>
        after === '3' ? batch : { ...batch, cursor: batch.cursor === '3' ? '2' : batch.cursor },
      ),
      /^Reading must come to an end; 1000 batches had changes$/,
    ],
    [
      'keeps its position in the connection',
      (() => {
        return opened(({ read }) => {
          let position: string | null = null;
          return {
            read: async (_, ...rest) => {
              const batch = await read(position, ...rest);
              position = batch.cursor;
              return batch;
            },
          };
        });
      })(),
      /^All 3 events must be read; it was 0$|^The order must not depend|^The next change must be b; it was "a"$/,
    ],
    [
      'forgets what it has read',
      (kind, sources) =>
        opened(({ read }) => ({
          read: async (...given) => {
            const batch = await read(...given);
            const source = sources.get('up');
            source?.changes.splice(
              0,
              source.changes.length,
              ...source.changes.filter((each) => !batch.changes.includes(each)),
            );
            return batch;
          },
        }))(kind),
      /^All 3 events must be read|^A second read after the same cursor must have the same changes/,
    ],
    [
      'forgets more than was acknowledged',
      (kind, sources) => opened(() => ({ acknowledge: async () => void sources.get('up')?.changes.splice(0) }))(kind),
      /^Every later change must be read after an acknowledgement/,
    ],
    [
      'has an object for a cursor',
      batches((batch) => ({ ...batch, cursor: { at: batch.cursor } as never })),
      /^A cursor must be null or a text of 1 to 1024 characters/,
    ],
    [
      'has a payload that is no plain data',
      batches((batch) => ({
        ...batch,
        changes: batch.changes.map((each) => ({ ...each, payload: { at: new Date() } })),
      })),
      /^A payload must be plain data; it was \["at"\]$/,
    ],
    [
      'gives all changes one key',
      batches((batch) => ({ ...batch, changes: batch.changes.map((each) => ({ ...each, key: 'k' })) })),
      /^Every change must have a key of its own/,
    ],
    [
      'leaves its connection open',
      opened(() => ({ close: async () => {} })),
      /^A closed source must close its connection$/,
    ],
    [
      'reads on after it was closed',
      opened(({ read, close }) => {
        let isClosed = false;
        return {
          read: (...given) => (isClosed ? Promise.resolve({ changes: [], cursor: null }) : read(...given)),
          close: () => {
            isClosed = true;
            return close();
          },
        };
      }),
      /^Reading a closed source must reject/,
    ],
    [
      'ignores its signal',
      opened(({ read }) => ({ read: (after, limit) => read(after, limit, new AbortController().signal) })),
      /^Opening and reading must settle when its signal aborts$/,
    ],
  ];
  for (const [what, change, violation] of broken)
    it(`rejects a kind that ${what}`, async () => {
      const found = await violations(clausesFor(change));
      expect(
        found.some((each) => violation.test(each)),
        found.join('\n'),
      ).to.equal(true);
    });
});
