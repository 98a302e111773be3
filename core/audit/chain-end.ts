import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Hmac } from '../secret/vault.ts';
import type { Tables } from '../store/store.ts';
import { readSignedCheckpoint } from './archive/checkpoint.ts';
import { AuditLog } from './audit-log.ts';
import { chainStart, type Head, nextHead, readSignedHead } from './chain.ts';
import { RawAuditLog, type RawEntry, signedText } from './signed-entry.ts';

/** Where the chain goes on. */
export interface ChainEnd {
  readonly head: Head;
  /** The numbers behind the head that entries got without the sealer: they stay unused. */
  readonly taken: ReadonlySet<number>;
  /** The ids of those entries that were not among the known ones. */
  readonly forged: readonly number[];
}

const pageSize = 200;
/** How far the last sealed entry is looked for where the sealer's note of it is missing or changed. */
const searched = 1000;

/**
 * Finds the end of the chain: the head that the sealer noted, or one behind it that follows from it. Entries behind it
 * that do not follow were given a `seq` past the sealer; the database refuses to change them, so they are passed over.
 * @param count how many numbers are needed: forged entries beyond them are not read.
 * @param known ids of forged entries that were found before, so that they are not verified again.
 */
export async function readChainEnd(
  tables: Tables,
  hmac: Hmac,
  count: number,
  known: ReadonlySet<number>,
): Promise<ChainEnd> {
  const noted = await readSignedHead(tables, hmac);
  let head = noted && noted !== 'changed' ? noted : await lastLinked(tables, hmac);
  const taken = new Set<number>();
  const forged: number[] = [];
  for (let after = head.seq; ; ) {
    await yieldToEventLoop();
    const page = await tables
      .of(AuditLog)
      .find({ where: [['seq', '>', after]], order: [['seq', 'asc']], limit: pageSize, columns: ['id', 'seq'] });
    const unknown = page.map(({ id }) => id).filter((id) => !known.has(id));
    const entries = new Map((await readEntries(tables, unknown)).map((entry) => [entry.id, entry]));
    for (const { id, seq } of page) {
      const entry = entries.get(id);
      const next = entry && linked(hmac, head, entry);
      if (next) head = next;
      else {
        if (!known.has(id)) forged.push(id);
        taken.add(seq as number);
      }
    }
    const last = page.length < pageSize ? undefined : page.at(-1)?.seq;
    // SQLite holds fractions, infinities, texts and bytes as well, in this order; behind numbers no number follows.
    if (typeof last !== 'number' || !(last - head.seq - taken.size < count)) return { head, taken, forged };
    after = Math.ceil(last);
    taken.add(after);
  }
}

/** Returns the head that an entry makes of the one before, if the sealer sealed it there; otherwise null. */
function linked(hmac: Hmac, previous: Head, entry: RawEntry): Head | null {
  const text = Number.isSafeInteger(entry.seq) ? signedText(entry) : null;
  const next = text === null ? null : nextHead(hmac, previous, entry, text, entry.seq as number);
  return next?.hash === entry.hash ? next : null;
}

/**
 * Returns the last entry that follows from the one before it, without the sealer's note: that was lost or changed, which
 * `audit:verify` reports. If several entries have no successor, the last one counts, so that sealing goes on.
 */
async function lastLinked(tables: Tables, hmac: Hmac): Promise<Head> {
  const entries = await tables
    .of(RawAuditLog)
    .find({ where: [['seq', '!=', null]], order: [['seq', 'desc']], limit: searched });
  const heads = entries.map(({ seq, hash }): Head | null =>
    Number.isSafeInteger(seq) && typeof hash === 'string' ? { seq: seq as number, hash } : null,
  );
  const checkpoint = await readSignedCheckpoint(tables, hmac);
  const start = checkpoint === 'changed' ? chainStart : checkpoint;
  const bySeq = new Map([start, ...heads].flatMap((head) => (head ? [[head.seq, head] as const] : [])));
  const sealed = entries.findIndex((entry) => {
    const previous = bySeq.get((entry.seq as number) - 1);
    return previous && linked(hmac, previous, entry);
  });
  return heads[sealed] ?? heads.find((head) => head !== null) ?? start;
}

function readEntries(tables: Tables, ids: readonly number[]): Promise<RawEntry[]> | RawEntry[] {
  const exact = ids.filter(Number.isSafeInteger);
  return exact.length === 0 ? [] : tables.of(RawAuditLog).find({ where: [['id', 'in', exact]] });
}
