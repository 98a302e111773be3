import { type Pass, PassTicker } from '../loop/pass-ticker.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { ServiceRetentionRules } from '../quota/keep-rules.ts';
import { batches } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import {
  type DeletedCounts,
  type Deletion,
  deleteExpired,
  type ExpiredRows,
  nothingDeleted,
} from './delete-expired.ts';
import { expiredRows } from './expired-rows.ts';

export interface RetentionOptions extends Deletion {
  /** Moves what was written to its place, and gives the space of deleted rows back. */
  readonly plainStore: Pick<Store, 'checkpoint' | 'releaseSpace'>;
  readonly rules: ServiceRetentionRules;
  /** Called with what a pass has deleted, unless it was nothing. */
  onDeleted(counts: DeletedCounts): void;
}

/** How fast a pass deletes. */
interface Pace {
  /** As `Pass.rest`. */
  readonly rest: number;
  /** How many Tasks, jobs or events one transaction deletes. */
  readonly batchSize: number;
}

const pace: Pace = { batchSize: 50, rest: 0.5 };
/** The pace where all others wait until a transaction has ended; there it also seals its entries. */
const serialPace: Pace = { batchSize: 20, rest: 0.9 };
/** After how many transactions it makes a checkpoint: before the log is so long that a commit would make one. */
const checkpointInterval = 12;

/** Returns what deletes what is kept no longer, some rows a tick, and gives their space back. */
export function retentionTicker(options: RetentionOptions): PassTicker {
  return new PassTicker({
    name: 'retention',
    clock: options.clock,
    begin: () => RetentionPass.begin(options),
  });
}

/** One search for what is kept no longer, and its deletion. */
class RetentionPass implements Pass {
  readonly rest: number;
  readonly #options: RetentionOptions;
  readonly #batchSize: number;
  readonly #rows: AsyncGenerator<ExpiredRows>;
  /** Found, and not deleted yet. */
  #batches: ExpiredRows[] = [];
  #counts: DeletedCounts = nothingDeleted;
  #found: PruningProgress = { kind: 'files', done: 0, found: 0 };
  #hasFound = true;
  /** How many transactions were committed since the last checkpoint. */
  #committed = 0;

  constructor(options: RetentionOptions, { rest, batchSize }: Pace) {
    this.rest = rest;
    this.#options = options;
    this.#batchSize = batchSize;
    this.#rows = expiredRows((work) => options.store.read(work), options.rules);
  }

  static async begin(options: RetentionOptions): Promise<RetentionPass> {
    const isSerial = await options.store.read(async (tables) => tables.serial);
    return new RetentionPass(options, isSerial ? serialPace : pace);
  }

  /** What was deleted so far. */
  get counts(): DeletedCounts {
    return this.#counts;
  }

  /** How far the rows are that were found last. */
  get found(): PruningProgress {
    return this.#found;
  }

  /** Deletes the next rows, or gives space back. @returns whether there is more to do. */
  async step(): Promise<boolean> {
    const { plainStore } = this.#options;
    if (this.#committed >= checkpointInterval) {
      this.#committed = 0;
      await plainStore.checkpoint?.();
      return true;
    }
    const batch = this.#batches.shift();
    if (batch) {
      await deleteExpired(this.#options, batch, (counts) => this.#add(counts));
      this.#found = { ...this.#found, done: this.#found.done + batch.ids.length };
      return true;
    }
    if (!this.#hasFound) return (await plainStore.releaseSpace?.()) ?? false;
    const { value, done } = await this.#rows.next();
    if (!done) {
      this.#batches = [...batches(value.ids, this.#batchSize)].map((ids) => ({ kind: value.kind, ids }));
      this.#found = { kind: value.kind, done: 0, found: value.ids.length };
      return true;
    }
    this.#hasFound = false;
    if (sumOf(this.#counts) > 0) this.#options.onDeleted(this.#counts);
    return true;
  }

  #add(more: Partial<DeletedCounts>): void {
    this.#committed += 1;
    const sum = (name: keyof DeletedCounts) => this.#counts[name] + (more[name] ?? 0);
    this.#counts = Object.fromEntries(
      Object.keys(nothingDeleted).map((name) => [name, sum(name as keyof DeletedCounts)]),
    ) as unknown as DeletedCounts;
  }
}

/** The rows that a search has found, some ten thousand at once, and how many of them are done with. */
export interface PruningProgress {
  readonly kind: ExpiredRows['kind'];
  readonly done: number;
  readonly found: number;
}

/** Runs a whole pass. @param onProgress is called after each step with what was deleted so far, and with what was found last. */
export async function runRetention(
  options: RetentionOptions,
  onProgress?: (counts: DeletedCounts, found: PruningProgress) => void,
): Promise<DeletedCounts> {
  const pass = await RetentionPass.begin(options);
  while (await pass.step()) {
    await yieldToEventLoop();
    onProgress?.(pass.counts, pass.found);
  }
  return pass.counts;
}

function sumOf(counts: DeletedCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
