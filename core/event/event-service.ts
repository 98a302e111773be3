import type { AuditedStore } from '../audit/audited-store.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { EventSources, type EventSourcesContext } from './event-sources.ts';
import { Events } from './events.ts';
import { type EventContext, EventProcessor } from './processor/event-processor.ts';
import { ReceivedChanges, type ReceivedChangesContext } from './received-changes.ts';
import { EventSourceReader } from './source-reader.ts';

interface EventServiceOptions extends EventSourcesContext, EventContext, Pick<ReceivedChangesContext, 'throttle'> {
  /** The store of the background. */
  readonly background: AuditedStore;
  readonly poll: Milliseconds;
  /** Called after the commit of events that are pending. */
  onEvents(): void;
  readonly events: {
    /** A source could not be polled for a reason that is none of its own. */
    tickFailed(ticker: string, error: unknown, wait: Milliseconds): void;
  };
}

/** What a core does with events: their records and sources, and the work in the background. */
export class EventService {
  readonly events: Events;
  readonly sources: EventSources;
  readonly processor: EventProcessor;
  readonly reader: EventSourceReader;

  constructor(options: EventServiceOptions) {
    const { background: store, clock, poll, records, vault, kinds, throttle, onEvents } = options;
    this.events = new Events({ records, onEvents });
    const matchesPattern: EventContext['matchesPattern'] = (...match) => options.matchesPattern(...match);
    this.processor = new EventProcessor({ ...options, store, matchesPattern });
    const received = new ReceivedChanges({ store: records.store, vault, kinds, onEvents, throttle });
    this.sources = new EventSources(options, received);
    const onError = (ticker: string, error: unknown, wait: Milliseconds) =>
      options.events.tickFailed(ticker, error, wait);
    this.reader = new EventSourceReader({ store, clock, vault, kinds, poll, onEvents, onError });
  }

  get tickers(): readonly Ticker[] {
    return [this.processor, this.reader];
  }

  /** Gives up what is read of sources. */
  stop(): Promise<void> {
    return this.reader.stop();
  }
}
