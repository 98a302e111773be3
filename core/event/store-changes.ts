import type { AuditedStore } from '../audit/audited-store.ts';
import { HorariumError, KeyTaken, StaleRow } from '../errors.ts';
import type { Actor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import type { EventRow } from './event.ts';
import type { EventSourceRow } from './event-source.ts';
import type { SourceChange } from './event-source-kind.ts';
import { type EventContext, processEvents } from './process-events.ts';
import { newSourceEvents } from './source-events.ts';

/** What changes of sources are stored with. */
export interface ChangeStore {
  readonly store: AuditedStore;
  readonly context: EventContext;
  /** Called after the commit of events that are pending. */
  onEvents(): void;
}

/** Stores those of the changes of a source that are new, with what they cause, and returns their events. */
export type StoreChanges = (
  source: Pick<EventSourceRow, 'id'>,
  changes: readonly SourceChange[],
) => Promise<EventRow[]>;

/**
 * Stores changes in a transaction. Where it fails by them, it is run again without what they cause: the event processor
 * finds out which of the events it is, and sets that one aside.
 * @param work calls back with the changes once it has checked, in the transaction, that they may be stored.
 */
export async function storeChanges<T>(
  { store, context, onEvents }: ChangeStore,
  actor: Actor,
  work: (tables: Tables, storeIn: StoreChanges) => Promise<T>,
): Promise<T> {
  const run = (processes: boolean) =>
    store.transaction(actor, (tables) =>
      work(tables, async (source, changes) => {
        const events = await newSourceEvents(tables, source, changes);
        const processed = processes ? await processEvents(tables, events, context) : 0;
        if (processed < events.length) tables.afterCommit(() => onEvents());
        return events;
      }),
    );
  try {
    return await run(true);
  } catch (error) {
    const isPassing = error instanceof StaleRow || error instanceof KeyTaken;
    if (isPassing || (error instanceof HorariumError && error.code === 'unavailable')) throw error;
    return run(false);
  }
}
