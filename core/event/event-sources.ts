import { conflict } from '../errors.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { Options } from '../records/plugin-options.ts';
import { Records, type RecordsContext } from '../records/records.ts';
import { missingExtension } from '../registry/missing-extension.ts';
import { authorize, readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Resource } from '../resource/define-resource.ts';
import { EventSource, type EventSourceInput, type EventSourceRow } from './event-source.ts';
import type { EventSourceKind } from './event-source-kind.ts';
import type { ChangeJudge, ReceivedChanges } from './received-changes.ts';
import { maskedMessage, optionsOf, type SourceKinds } from './source-options.ts';

export interface EventSourcesContext extends SourceKinds {
  readonly records: RecordsContext;
  readonly clock: Clock;
}

/** The result of testing an event source. */
export interface Reachability {
  readonly reachable: boolean;
  /** One sentence, in which secrets of the source are masked. */
  readonly message: string;
  readonly latency_ms: Milliseconds;
}

/** The time after which a source that has not answered counts as unreachable. */
const timeout: Milliseconds = 5000;

/** The records of event sources, and the test of whether one can be reached. */
export class EventSources extends Records<EventSourceRow, EventSourceInput> {
  readonly #context: EventSourcesContext;
  readonly #received: ReceivedChanges;

  constructor(context: EventSourcesContext, received: ReceivedChanges) {
    super(
      context.records.findResource(EventSource.name) as Resource<EventSourceRow, EventSourceInput>,
      context.records,
    );
    this.#context = context;
    this.#received = received;
  }

  /**
   * Takes a change that is sent to a source: what reacts to it is started soon after. A change that was received before,
   * which its key tells, starts nothing more.
   * @param origin who sends it; those whose changes are refused are slowed down as those who guess passwords.
   * @param addressee the name of a source, and the kind that it must be of: that of the plugin that calls.
   * @param judge returns the change by the options of the source, complete and decrypted. It may be called for anybody,
   *   so it must verify who sends. @throws an error which refuses the change; `last_error` shows it.
   * @returns the id of the event.
   * @throws HorariumError `not_found` where there is no such source or it is disabled, TooManyRequests after refusals, and
   *   what `judge` throws.
   */
  receive(
    origin: Actor,
    addressee: { readonly kind: string; readonly name: string },
    judge: ChangeJudge,
  ): Promise<number> {
    return this.#received.receive(origin, addressee, judge);
  }

  /**
   * Connects to a source and checks that its events could be read.
   * @throws HorariumError `not_found`, `denied` for an actor who may not change it, `conflict` when its plugin is missing.
   */
  async test(actor: Actor, id: number): Promise<Reachability> {
    const { clock, kinds, vault } = this.#context;
    const row = await this.#find(actor, id);
    const kind = kinds.get(row.kind);
    if (!kind)
      throw conflict(
        `EventSource ${id} cannot be tested: ${missingExtension('event source kind', row.kind, kinds.keys())}.`,
      );
    const options = optionsOf(vault, kind, row);
    const started = clock.elapsed();
    const failure = await this.#probe(kind, options);
    const latency_ms = Math.round(clock.elapsed() - started);
    if (failure === null) return { reachable: true, message: 'The service can read its events.', latency_ms };
    return { reachable: false, message: failure, latency_ms };
  }

  /** @returns null when the source can be read, else why not. */
  async #probe(kind: EventSourceKind, options: Options): Promise<string | null> {
    const stop = new AbortController();
    const timedOut = this.#context.clock
      .sleep(timeout, stop.signal)
      .then(() => `It did not answer within ${timeout / 1000} s.`);
    // An async function also catches what a plugin throws before it returns a promise.
    const probe = async () => kind.probe(options, stop.signal);
    const probed = probe().then(
      () => null,
      (error: unknown) => maskedMessage(kind, options, error),
    );
    const failure = await Promise.race([probed, timedOut]);
    stop.abort();
    return failure;
  }

  async #find(actor: Actor, id: number): Promise<EventSourceRow> {
    return this.#context.records.store.read(async (tables) => {
      const row = await readVisible(tables, actor, EventSource, id);
      await authorize(tables, actor, EventSource, row, row);
      return row;
    });
  }
}
