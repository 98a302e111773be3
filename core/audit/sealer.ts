import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Hmac } from '../secret/vault.ts';
import { batches, textSize } from '../store/rows.ts';
import type { Change, Store, Tables } from '../store/store.ts';
import { AuditLog } from './audit-log.ts';
import { nextHead, writeSignedHead } from './chain.ts';
import { type ChainEnd, readChainEnd } from './chain-end.ts';
import { genuineEntries } from './genuine.ts';
import { RawAuditLog, type RawEntry, type SignedEntry } from './signed-entry.ts';

export interface SealerOptions {
  readonly store: Store;
  /** Returns the audit key; it is called only when there is something to seal. */
  hmac(): Promise<Hmac>;
  /** Entries that were inserted without the service were found: they are not sealed. Each is reported once. */
  onForged(entryIds: readonly number[]): void;
}

const batchSize = 2000;
/** How many entries are read at once at most: they hold up to 2 MiB each, the values before and after a change. */
const maxPageSize = 100;
/** About how many characters of changes one transaction seals where all others wait for it. */
const maxText = 32 * 1024;
/** How long the sealer waits when nothing is left to seal, so that an entry is sealed within a second of its commit. */
const pollInterval: Milliseconds = 500;
/** How often, and how many times, it tries again at its end while another host seals. */
const tryInterval: Milliseconds = 20;
const maxTries = 250;
/** The entries that no sealer has checked; forged ones are marked, so that none is read twice. */
const unsealed = [
  ['seq', '=', null],
  ['forged', '=', false],
] as const;
/** Ids that JavaScript does not represent exactly, so that they name no row. */
const inexact = [[['id', '>', Number.MAX_SAFE_INTEGER]], [['id', '<', Number.MIN_SAFE_INTEGER]]] as const;

/**
 * Seals committed audit entries, on one host at a time: gives each its `seq` in the chain, without gaps, and its hash.
 * Those whose MAC is wrong are marked as forged and passed over.
 */
export class Sealer implements Ticker {
  readonly name = 'sealer';
  readonly #options: SealerOptions;
  /** The ids of entries that were inserted with a `seq`: the database refuses to mark them. */
  readonly #known = new Set<number>();
  /** How many entries of the size of the last ones make up what one transaction seals. */
  #pageSize = maxPageSize;

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  async tick(): Promise<Milliseconds> {
    return (await this.#sealNext())?.hasMore ? 0 : pollInterval;
  }

  /** Seals what was committed before the call; while another host seals, it waits for that. */
  async finish(clock: Pick<Clock, 'sleep'>): Promise<void> {
    for (let tries = 0; tries < maxTries; ) {
      await yieldToEventLoop();
      const sealed = await this.#sealNext();
      if (sealed?.hasMore) continue;
      if (sealed) return;
      tries += 1;
      await clock.sleep(tryInterval);
    }
  }

  /** Seals the next batch. @returns whether there are more; null = another host seals. */
  async #sealNext(): Promise<{ readonly hasMore: boolean } | null> {
    const { store } = this.#options;
    const unsealedCount = await store.transaction((tables) => tables.of(AuditLog).count(unsealed, 1), {
      readOnly: true,
      singleStatement: true,
    });
    if (unsealedCount === 0) return { hasMore: false };
    const hmac = await this.#options.hmac();
    return store.transaction((tables) => this.#sealBatch(tables, hmac));
  }

  /** Seals so that a page of entries at a time is in memory. */
  async #sealBatch(tables: Tables, hmac: Hmac): Promise<{ readonly hasMore: boolean } | null> {
    if (!(await tables.tryLock('audit seal'))) return null;
    const log = tables.of(RawAuditLog);
    const found = await log.find({ where: unsealed, order: [['id', 'asc']], limit: batchSize, columns: ['id'] });
    const ids = found.map(({ id }) => id);
    // Another host has sealed them since they were counted.
    if (ids.length === 0) return { hasMore: false };
    const end = await readChainEnd(tables, hmac, ids.length, this.#known);
    const forged = new Set<number>();
    let { head } = end;
    let text = 0;
    let checkedCount = 0;
    const room = tables.serial ? maxText : Infinity;
    for (const page of batches(ids, this.#pageSize)) {
      if (text > room) break;
      await yieldToEventLoop();
      checkedCount += page.length;
      for (const id of page) forged.add(id);
      const exact = page.filter(Number.isSafeInteger);
      // A sealed entry may have been given the same id.
      const entries = await log.find({ where: [['id', 'in', exact], ...unsealed], order: [['id', 'asc']] });
      const sealed = sealsOf(await genuineEntries(tables, hmac, entries), { head, taken: end.taken }, hmac);
      await log.update(sealed.seals);
      for (const { row } of sealed.seals) {
        forged.delete(row.id);
        text += textSize(row.changes);
      }
      head = sealed.head;
    }
    this.#pageSize = Math.min(maxPageSize, Math.ceil((room * checkedCount) / Math.max(1, text)));
    if (head !== end.head) await writeSignedHead(tables, hmac, head);
    const exact = [...forged].filter(Number.isSafeInteger);
    if (forged.size > 0)
      await log.updateWhere([...unsealed, { any: [[['id', 'in', exact]], ...inexact] }], { forged: true });
    tables.afterCommit(() => this.#report(end.forged, [...forged]));
    return { hasMore: checkedCount < ids.length || ids.length === batchSize };
  }

  #report(inChain: readonly number[], forged: readonly number[]): void {
    for (const id of inChain) this.#known.add(id);
    if (inChain.length + forged.length > 0) this.#options.onForged([...inChain, ...forged]);
  }
}

/**
 * Seals new entries in the transaction that has inserted and signed them, so that each is written once.
 * @param ids of the entries, in their order.
 */
export async function sealInsertedEntries(
  tables: Tables,
  hmac: Hmac,
  entries: readonly SignedEntry[],
  ids: readonly number[],
): Promise<void> {
  if (!(await tables.tryLock('audit seal'))) return;
  const end = await readChainEnd(tables, hmac, ids.length, new Set());
  const texts = new Map(
    entries.map(({ entry, text }, index): [RawEntry, string] => [{ ...entry, id: ids[index] as number }, text]),
  );
  const { seals, head } = sealsOf(texts, end, hmac);
  await tables.of(RawAuditLog).update(seals);
  await writeSignedHead(tables, hmac, head);
}

/** Gives entries the numbers behind the end of the chain that are free. @returns the new head with their seals. */
function sealsOf(
  entries: ReadonlyMap<RawEntry, string>,
  { head: previous, taken }: Pick<ChainEnd, 'head' | 'taken'>,
  hmac: Hmac,
) {
  let head = previous;
  const seals: Change<RawEntry>[] = [];
  for (const [entry, text] of entries) {
    let seq = head.seq + 1;
    while (taken.has(seq)) seq += 1;
    head = nextHead(hmac, head, entry, text, seq);
    seals.push({ row: entry, set: { ...head } });
  }
  return { seals, head };
}
