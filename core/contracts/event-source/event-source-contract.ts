import type { Clock } from '../../loop/clock.ts';
import { assert, type Clause } from '../clause.ts';
import { readingChecks } from './reading-clauses.ts';
import { CheckedSources, type EventSourcesUnderTest, requireSentence } from './sources-under-test.ts';

/** What distinguishes the kinds of event sources. */
export interface EventSourceTraits {
  /** Whether the service reads the source; changes of others are sent to it, by a route of the plugin. @default true */
  readonly isRead?: boolean;
}

/**
 * The contract that each kind of event source keeps, as one check for each clause:
 * `for (const { title, check } of eventSourceContract(() => sources, clock)) it(title, check)`.
 * @param make is called for each check; returns the kind and its sources.
 * @param clock measures, in the checks, how long calls of the kind take.
 */
export function eventSourceContract(
  make: () => Promise<EventSourcesUnderTest> | EventSourcesUnderTest,
  clock: Clock,
  { isRead = true }: EventSourceTraits = {},
): readonly Clause[] {
  const checks = { ...probeChecks, ...(isRead ? readingChecks : pushChecks) };
  return Object.entries(checks).map(([title, check]) => ({
    title,
    async check() {
      const sources = await make();
      try {
        await check(new CheckedSources(sources, clock));
      } finally {
        await sources.close?.();
      }
    },
  }));
}

type Checks = Readonly<Record<string, (checked: CheckedSources) => Promise<void>>>;

const pushChecks: Checks = {
  async 'has no open, because its changes are sent to the service'({ sources }) {
    assert(sources.kind.open === undefined, 'A kind with open must be tested without the trait isRead: false');
  },
};

const probeChecks: Checks = {
  async 'rejects with a sentence when events cannot be read'(checked) {
    for (const options of checked.sources.unreadable) await requireSentence('A probe', checked.probe(options));
  },

  async 'resolves when events can be read, and consumes none'(checked) {
    const { readable, events, kind } = checked.sources;
    const before = await events();
    assert(before.length > 0 || !kind.open, 'The readable source must have an event, which a probe could consume');
    await checked.probe(readable);
    await checked.probe(readable);
    const after = await events();
    const isUnchanged = JSON.stringify(after) === JSON.stringify(before);
    assert(isUnchanged, 'A probe must leave every event as it was', after);
  },

  async 'closes its connection when it has settled'(checked) {
    const { readable, unreadable } = checked.sources;
    for (const options of [readable, ...unreadable]) {
      await checked.probe(options).catch(() => undefined);
      await checked.requireDisconnected('A probe');
    }
  },

  async 'settles and closes its connection when the signal aborts'(checked) {
    for (const options of checked.sources.unresponsive)
      await checked.requireAbortable('A probe', (signal) => checked.probe(options, signal));
  },
};
