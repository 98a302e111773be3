import type { Milliseconds } from '@horarium/core';
import type { AgentEvent } from '@horarium/core/plugin';
import type { Broker } from './broker.ts';
import type { PublishedReport } from './messages.ts';
import type { Link } from './network.ts';

/** How many reports of an attempt are on their way at once. */
const window = 3;
const retryWait: Milliseconds = 2000;

export interface ReportQueueOptions {
  readonly link: Link;
  readonly broker: Broker;
  readonly attempt: Pick<PublishedReport, 'agent' | 'jobId' | 'claim'>;
  uptime(): Milliseconds;
}

interface QueuedEvent {
  readonly seq: number;
  readonly event: AgentEvent;
  readonly happenedAt: Milliseconds;
  acknowledged(): void;
}

/** The reports of one attempt: they are numbered, and published until the broker acknowledges each. */
export class ReportQueue {
  readonly #options: ReportQueueOptions;
  readonly #waiting: QueuedEvent[] = [];
  readonly #all: Promise<void>[] = [];
  #sent = 0;
  #seq = 0;

  constructor(options: ReportQueueOptions) {
    this.#options = options;
  }

  /** Resolves once the broker has acknowledged the report. */
  add(event: AgentEvent): Promise<void> {
    const { promise, resolve: acknowledged } = Promise.withResolvers<void>();
    this.#all.push(promise);
    this.#waiting.push({ seq: ++this.#seq, event, happenedAt: this.#options.uptime(), acknowledged });
    this.#publishNext();
    return promise;
  }

  /** Resolves once the broker has acknowledged all that was added. */
  async empty(): Promise<void> {
    await Promise.all(this.#all);
  }

  #publishNext(): void {
    for (; this.#sent < window; this.#sent++) {
      const next = this.#waiting.shift();
      if (!next) return;
      void this.#publish(next);
    }
  }

  async #publish(queued: QueuedEvent): Promise<void> {
    const { link, broker, attempt, uptime } = this.#options;
    const { seq, event, happenedAt } = queued;
    const report = { ...attempt, seq, event, age: uptime() - happenedAt };
    if (await link.request(() => broker.publish(report))) {
      this.#sent -= 1;
      queued.acknowledged();
      this.#publishNext();
    } else link.in(retryWait, () => void this.#publish(queued));
  }
}
