import { conflict, HorariumError } from '../../errors.ts';
import type { Instant, Milliseconds } from '../../loop/clock.ts';
import type { Pass } from '../../loop/pass-ticker.ts';
import { yieldToEventLoop } from '../../loop/yield-to-event-loop.ts';
import type { Hmac } from '../../secret/vault.ts';
import type { Where } from '../../store/query.ts';
import type { Store, Tables } from '../../store/store.ts';
import { AuditSpan } from '../audit-span.ts';
import type { Head } from '../chain.ts';
import { ChainCheck } from '../chain-check.ts';
import { RawAuditLog, type RawEntry } from '../signed-entry.ts';
import type { AuditArchive } from './audit-archive.ts';
import { readSignedCheckpoint, writeCheckpoint } from './checkpoint.ts';
import { entryLine, problemOfSegment, type Segment, segmentStartingAt, segmentsAmong } from './segment.ts';

export interface ArchiveOptions {
  readonly store: Store;
  /** Returns the audit key. */
  hmac(): Promise<Hmac>;
  readonly archive: AuditArchive;
}

interface Archived {
  /** Entries that were made before leave the store, up to the first that was made later. */
  readonly before: Instant;
  /** How much earlier the first of them must have been made: a pass for a few entries makes a small segment. */
  readonly slack: Milliseconds;
}

/** About how many characters a segment holds at most, and how many of them are in memory. */
const maxSegment = 32 * 1024 * 1024;
const maxText = 2 * 1024 * 1024;
/** How many entries are read at once at most, and how many one transaction deletes. */
const maxPageSize = 100;
const batchSize = 200;

/**
 * Moves old sealed entries from the store to the archive. It writes a segment, makes it durable, reads it again and
 * verifies it. Only then its entries leave the store, some hundred in a transaction, which signs the last of them as the
 * checkpoint: the chain in the store begins behind it. A pass may be stopped anywhere; the next one goes on.
 */
export class ArchivePass implements Pass {
  readonly #options: ArchiveOptions;
  readonly #before: Instant;
  #slack: Milliseconds;
  /** The heads of a verified segment up to which entries leave the store in one transaction, in order. */
  #heads: Head[] = [];
  /** What a person can do if that segment is not what the store holds. */
  #advice = '';
  #leftCount = 0;
  #isTaken = false;
  /** Whether the store moves what was written to its place, as a step of its own: others have a turn before it. */
  #isWritten = false;

  constructor(options: ArchiveOptions, { before, slack }: Archived) {
    this.#options = options;
    this.#before = before;
    this.#slack = slack;
  }

  /** How many entries have left the store so far. */
  get leftCount(): number {
    return this.#leftCount;
  }

  /** Whether the pass has ended because another process moves entries. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /**
   * Writes and verifies the next segment, or deletes some of its entries. @returns whether there is more to do.
   * @throws HorariumError `conflict` naming the entry that keeps the log from being archived, because it does not verify;
   *   `unavailable` when the archive cannot be read or written.
   */
  async step(): Promise<boolean> {
    const { store } = this.#options;
    if (this.#isWritten) {
      this.#isWritten = false;
      await store.checkpoint?.();
      return true;
    }
    const hmac = await this.#options.hmac();
    const next = this.#heads.shift();
    if (next) {
      const advice = this.#advice;
      const count = await store.transaction((tables) => removeUpTo(tables, hmac, { head: next, advice }));
      this.#isTaken = count === null;
      this.#leftCount += count ?? 0;
      this.#isWritten = count !== null;
      return count !== null;
    }
    this.#heads = await this.#nextHeads(hmac);
    return this.#heads.length > 0;
  }

  /** Verifies the next segment, which an earlier pass may have written. */
  async #nextHeads(hmac: Hmac): Promise<Head[]> {
    const { archive } = this.#options;
    const { start, isDue } = await this.#read(async (tables) => {
      const start = await readCheckpoint(tables, hmac);
      const [first] = await tables.of(RawAuditLog).find(sealedBehind(start, 1));
      return { start, isDue: first !== undefined && this.#isOld(first, this.#slack) };
    });
    if (!isDue) return [];
    this.#slack = 0;
    const earlier = segmentsAmong(await archive.list()).findLast(({ firstSeq }) => firstSeq <= start.seq + 1);
    const heads = earlier ? await this.#headsOf(earlier, start, hmac) : [];
    if (heads.length > 0) return heads;
    const segment = segmentStartingAt(start.seq + 1);
    this.#isTaken = !(await this.#write(segment, start, hmac));
    if (this.#isTaken) return [];
    const written = await this.#headsOf(segment, start, hmac);
    if (written.length === 0) throw notArchived(`${segment.name} in ${archive.place} is empty: move it away.`);
    return written;
  }

  /**
   * Writes a segment with the old entries behind the checkpoint, unless it is there. @returns false = another process has
   * moved the checkpoint meanwhile.
   */
  async #write({ name }: Segment, start: Head, hmac: Hmac): Promise<boolean> {
    const chain = new ChainCheck(hmac, [], start);
    // The number of entries that are read at once grows while they are small.
    await using writer = await this.#options.archive.create(name);
    for (let size = 0, limit = 1, isLast = false; !isLast; ) {
      await yieldToEventLoop();
      const { checkpoint, page } = await this.#read(async (tables) => ({
        checkpoint: await readCheckpoint(tables, hmac),
        page: await tables.of(RawAuditLog).find(sealedBehind(chain.head, limit)),
      }));
      if (checkpoint.seq !== start.seq) return false;
      const lines: string[] = [];
      for (const entry of page) {
        await yieldToEventLoop();
        isLast = size > maxSegment || !this.#isOld(entry);
        if (isLast) break;
        const problem = chain.problemOf(entry);
        if (problem !== null) throw notArchived(problem);
        lines.push(entryLine(entry));
        size += lines.at(-1)?.length ?? 0;
      }
      isLast ||= page.length < limit;
      await writer.write(lines);
      const text = lines.reduce((sum, { length }) => sum + length, 0);
      limit = Math.min(maxPageSize, limit * 2, Math.ceil((maxText * lines.length) / Math.max(1, text)));
    }
    await writer.complete().catch((error) => {
      // Another process has written it at the same time.
      if (!(error instanceof HorariumError && error.code === 'conflict')) throw error;
    });
    return true;
  }

  /** Verifies the entries of a segment behind a head. @returns the heads up to which they may leave together. */
  async #headsOf(segment: Segment, start: Head, hmac: Hmac): Promise<Head[]> {
    const { archive } = this.#options;
    const { name, firstSeq } = segment;
    this.#advice =
      firstSeq > start.seq
        ? `Move ${name} out of ${archive.place}: the database has its entries.`
        : `Keep the entries of ${name} in ${archive.place} up to ${start.seq}, which have left the database, and move the lines behind them elsewhere.`;
    const heads: Head[] = [];
    const chain = new ChainCheck(hmac, [], start, (head) => {
      if ((head.seq - start.seq) % batchSize === 0) heads.push(head);
    });
    const problem = await problemOfSegment(archive, segment, chain);
    if (problem !== null) throw notArchived(`${problem} ${this.#advice}`);
    if (chain.head.seq > (heads.at(-1) ?? start).seq) heads.push(chain.head);
    return heads;
  }

  #read<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#options.store.transaction(work, { readOnly: true });
  }

  #isOld({ created_at }: Pick<RawEntry, 'created_at'>, slack: Milliseconds = 0): boolean {
    return created_at < this.#before - slack;
  }
}

/** Reads the last entry that has left the store. @throws HorariumError `conflict` when its row was changed. */
export async function readCheckpoint(tables: Tables, hmac: Hmac): Promise<Head> {
  const checkpoint = await readSignedCheckpoint(tables, hmac);
  if (checkpoint === 'changed') throw notArchived('The checkpoint of the audit log was changed.');
  return checkpoint;
}

/** Returns the query for the sealed entries that follow a head. */
function sealedBehind({ seq }: Head, limit: number) {
  const where: Where<RawEntry> = [['seq', '>', seq]];
  return { where, order: [['seq', 'asc']], limit } as const;
}

/**
 * Deletes the entries behind the checkpoint up to an archived one, which becomes the checkpoint. @returns how many they
 * were; null = another process has moved the checkpoint, or does.
 * @throws HorariumError `conflict` when the store holds other entries there.
 */
async function removeUpTo(
  tables: Tables,
  hmac: Hmac,
  { head, advice }: { readonly head: Head; readonly advice: string },
): Promise<number | null> {
  if (!(await tables.tryLock('audit archive'))) return null;
  const start = await readCheckpoint(tables, hmac);
  const count = head.seq - start.seq;
  if (count <= 0 || count > batchSize) return null;
  const log = tables.of(RawAuditLog);
  const found = await log.find({
    where: [
      ['seq', '>', start.seq],
      ['seq', '<=', head.seq],
    ],
    order: [['seq', 'asc']],
    limit: count + 1,
    columns: ['id', 'seq', 'hash'],
  });
  const isArchived = found.length === count && found.every(({ seq }, index) => seq === start.seq + index + 1);
  if (!isArchived || found.at(-1)?.hash !== head.hash)
    throw notArchived(
      `The database holds other entries up to ${head.seq} than the archive: see what audit:verify says. If it finds nothing wrong, as after an old backup was restored: ${advice}`,
    );
  // The database refuses to delete what is behind the checkpoint.
  await writeCheckpoint(tables, hmac, start, head);
  const ids = found.map(({ id }) => id);
  await tables.of(AuditSpan).purge([['entry_id', 'in', ids]]);
  return log.purge([['id', 'in', ids]]);
}

function notArchived(problem: string) {
  return conflict(`The audit log cannot be archived. ${problem}`);
}
