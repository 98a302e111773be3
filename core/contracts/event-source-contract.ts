import type { EventSourceKind } from '../event/event-source-kind.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { assert, type Clause } from './clause.ts';

/** The options of an event source, complete and decrypted. */
type SourceOptions = Readonly<Record<string, unknown>>;

/** A kind and sources of that kind. The author provides them, because only the kind knows what its options mean. */
export interface EventSourcesUnderTest {
  readonly kind: EventSourceKind;
  /** The options of a source that has events, and lets them be read. */
  readonly readable: SourceOptions;
  /** The options of sources whose events cannot be read, each for a reason of its own. */
  readonly unreadable: readonly SourceOptions[];
  /** The options of sources that make the kind wait: they accept a connection and do not respond, or are locked. */
  readonly unresponsive: readonly SourceOptions[];
  /** Reads all events of the readable source by other means than the kind. */
  events(): Promise<readonly unknown[]>;
  /** Counts what probes hold open: the connections to all these sources, or their open files. */
  connections(): Promise<number> | number;
}

/** The time in which a probe must close what it opened. */
const timeLimit: Milliseconds = 5000;

/**
 * The contract of every kind of event sources, clause by clause:
 * `for (const { title, check } of eventSourceContract(() => sources, clock)) it(title, check)`.
 * @param make returns the kind and its sources for one check.
 * @param clock measures how long a probe takes.
 */
export function eventSourceContract(
  make: () => Promise<EventSourcesUnderTest> | EventSourcesUnderTest,
  clock: Clock,
): readonly Clause[] {
  return Object.entries(checks).map(([title, check]) => ({
    title,
    check: async () => check(new Probes(await make(), clock)),
  }));
}

/** The probes of one check. */
class Probes {
  readonly sources: EventSourcesUnderTest;
  readonly #clock: Clock;

  constructor(sources: EventSourcesUnderTest, clock: Clock) {
    this.sources = sources;
    this.#clock = clock;
  }

  /** Probes a source. An async function, because a kind may throw before it returns a promise. */
  async probe(options: SourceOptions, signal = new AbortController().signal): Promise<void> {
    await this.sources.kind.probe(options, signal);
  }

  async isConnected(): Promise<boolean> {
    return (await this.sources.connections()) > 0;
  }

  /** Polls a condition. @throws Error with the requirement when the condition does not hold within the time limit. */
  async require(requirement: string, condition: () => Promise<boolean>): Promise<void> {
    const deadline = this.#clock.elapsed() + timeLimit;
    while (!(await condition())) {
      assert(this.#clock.elapsed() < deadline, requirement);
      await this.#clock.sleep(10);
    }
  }

  requireDisconnected(): Promise<void> {
    return this.require('A probe must close its connection', async () => !(await this.isConnected()));
  }
}

const checks: Readonly<Record<string, (probes: Probes) => Promise<void>>> = {
  async 'rejects with a sentence when events cannot be read'(probes) {
    for (const options of probes.sources.unreadable) {
      const error = await probes.probe(options).then(
        () => null,
        (reason: unknown) => reason,
      );
      assert(error !== null, 'A probe must reject when events cannot be read');
      assert(error instanceof Error, 'A probe must reject with an Error', error);
      assert(/^\S+( \S+)+$/.test(error.message), 'The message must be a sentence on one line', error.message);
    }
  },

  async 'resolves when events can be read, and consumes none'(probes) {
    const { readable, events } = probes.sources;
    const before = await events();
    assert(before.length > 0, 'The readable source must have an event, which a probe could consume');
    await probes.probe(readable);
    await probes.probe(readable);
    const after = await events();
    const isUnchanged = JSON.stringify(after) === JSON.stringify(before);
    assert(isUnchanged, 'A probe must leave every event as it was', after);
  },

  async 'closes its connection when it has settled'(probes) {
    const { readable, unreadable } = probes.sources;
    for (const options of [readable, ...unreadable]) {
      await probes.probe(options).catch(() => undefined);
      await probes.requireDisconnected();
    }
  },

  async 'settles and closes its connection when the signal aborts'(probes) {
    for (const options of probes.sources.unresponsive) {
      const abort = new AbortController();
      let isSettled = false;
      const isRejected = probes
        .probe(options, abort.signal)
        .then(
          () => false,
          () => true,
        )
        .finally(() => {
          isSettled = true;
        });
      await probes.require('A probe must connect', async () => isSettled || probes.isConnected());
      abort.abort();
      await probes.require('A probe must settle when its signal aborts', async () => isSettled);
      assert(await isRejected, 'A probe must reject when its source does not respond');
      await probes.requireDisconnected();
    }
  },
};
