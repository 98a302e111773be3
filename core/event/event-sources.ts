import { conflict } from '../errors.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { Options } from '../records/plugin-options.ts';
import { Records, type RecordsContext } from '../records/records.ts';
import { authorize, readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Resource } from '../resource/define-resource.ts';
import type { Vault } from '../secret/vault.ts';
import { EventSource, type EventSourceRow } from './event-source.ts';
import type { EventSourceKind } from './event-source-kind.ts';
import { missingKind } from './missing-kind.ts';
import { maskedMessage, optionsOf } from './source-options.ts';

export interface EventSourcesContext {
  readonly records: RecordsContext;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly kinds: { get(name: string): EventSourceKind | undefined };
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
export class EventSources extends Records<EventSourceRow> {
  readonly #context: EventSourcesContext;

  constructor(context: EventSourcesContext) {
    super(context.records.findResource(EventSource.name) as Resource<EventSourceRow>, context.records);
    this.#context = context;
  }

  /**
   * Connects to a source and checks that its events could be read.
   * @throws HorariumError `not_found`, `denied` for an actor who may not change it, `conflict` when its plugin is missing.
   */
  async test(actor: Actor, id: number): Promise<Reachability> {
    const { clock, kinds, vault } = this.#context;
    const row = await this.#find(actor, id);
    const kind = kinds.get(row.kind);
    if (!kind) throw conflict(`EventSource ${id} cannot be tested: ${missingKind(row.kind)}.`);
    const options = optionsOf(vault, kind, row);
    const started = clock.elapsed();
    const failure = await this.#probe(kind, options);
    const latency_ms = Math.round(clock.elapsed() - started);
    if (failure === null) return { reachable: true, message: 'Its events can be read.', latency_ms };
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
