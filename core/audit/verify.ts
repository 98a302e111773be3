import { isPlainObject } from '../field/value-path.ts';
import type { Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Hmac } from '../secret/vault.ts';
import type { Where } from '../store/query.ts';
import type { Store, Tables } from '../store/store.ts';
import type { AuditArchive } from './archive/audit-archive.ts';
import { readSignedCheckpoint } from './archive/checkpoint.ts';
import { problemOfArchive } from './archive/verify-archive.ts';
import { AuditSpan, spansOf } from './audit-span.ts';
import { chainStart, type Head, readSignedHead } from './chain.ts';
import { ChainCheck, nameOf } from './chain-check.ts';
import { type Recorded, severalRecords } from './changes.ts';
import { genuineEntries } from './genuine.ts';
import { RawAuditLog, type RawEntry } from './signed-entry.ts';

export interface Verification {
  /** The number of sealed entries that were verified, in the archive and in the store. */
  readonly checked: number;
  /** The number of entries that have left the store for the archive. */
  readonly archived: number;
  /** The number of entries that are not sealed. */
  readonly open: number;
  readonly head: Head;
  /** A sentence that names the first entry that does not verify; null = the log is intact. */
  readonly problem: string | null;
  /** A sentence on entries that should be sealed: until they are, nothing proves that none was removed. */
  readonly warning: string | null;
}

export interface VerifyOptions {
  /** A head of the chain that was recorded outside the store: it proves that no entry up to it was cut off. */
  readonly noted?: Head | undefined;
  /**
   * Where entries are that have left the store; null = they are not verified, and the chain begins behind the last of
   * them, as the service signed it. @default that of the core
   */
  readonly archive?: AuditArchive | null | undefined;
  /** Called with how many sealed entries were verified, of how many: those up to the head of the log at the start. */
  onProgress?(checked: number, total: number): void;
}

/** Called with the number of entries that were verified, and with the last one that has left the store. */
type Report = (checked: number, checkpoint: Head) => void;
type Read = <T>(work: (tables: Tables) => Promise<T>) => Promise<T>;

/** Entries hold up to 2 MiB each, the values before and after a change, and a page is in memory as a whole. */
const pageSize = 200;
/** The age from which an unsealed entry is worth a warning: a busy sealer, or one on another host, has sealed it by then. */
const usuallySealed: Milliseconds = 10_000;

/**
 * Verifies the whole log, in the archive and in the store, and names the first entry that was changed, removed, inserted
 * or made unreadable, whatever its columns hold. Entries that are not sealed yet are verified by the MAC of their writer.
 * @throws HorariumError `unavailable` when the archive cannot be read.
 */
export async function verifyAudit(store: Store, hmac: Hmac, options: VerifyOptions = {}): Promise<Verification> {
  const read: Read = (work) => store.transaction(work, { readOnly: true });
  // Read first, because the sealer goes on meanwhile.
  const stored = await read((tables) => readSignedHead(tables, hmac));
  const heads = [options.noted, stored].filter((head) => typeof head === 'object' && head !== null);
  const chain = new ChainCheck(hmac, heads);
  const end = typeof stored === 'object' ? (stored?.seq ?? 0) : 0;
  const report = (checked: number, { seq }: Head) => {
    const total = options.archive ? end : end - seq;
    options.onProgress?.(checked, Math.max(checked, total));
  };
  const sealed = await checkSealed(read, hmac, chain, report);
  const { checkpoint } = sealed;
  const archived = await checkArchived(hmac, { chain, checkpoint, heads, report }, options);
  const sealedProblem = archived.problem ?? sealed.problem;
  const unsealed = sealedProblem === null ? await checkUnsealed(read, hmac) : nothingUnsealed;
  const problem =
    sealedProblem ??
    unsealed.problem ??
    chain.problemOfEnd() ??
    (await problemOfHead(read, hmac, chain.head, checkpoint));
  const age = (await read((tables) => tables.now())) - unsealed.oldest;
  const warning =
    problem === null && age > usuallySealed
      ? `${unsealedSince(unsealed.count, Math.round(age / 1000))}: nothing proves yet that none was removed. A running service seals them within a second.`
      : null;
  return {
    checked: archived.checked + chain.checked,
    archived: checkpoint.seq,
    open: unsealed.count,
    head: chain.head,
    problem,
    warning,
  };
}

function unsealedSince(count: number, seconds: number): string {
  if (count === 1) return `1 entry has not been sealed for ${seconds} s`;
  return `${count} entries are not sealed, one of them for ${seconds} s`;
}

interface Sealed {
  /** The last entry that has left the store. */
  readonly checkpoint: Head;
  /** What is wrong with the first entry that does not follow from the one before; null = nothing. */
  readonly problem: string | null;
}

/** Verifies the sealed entries in the store; those that leave it meanwhile are in the archive by the end. */
async function checkSealed(read: Read, hmac: Hmac, chain: ChainCheck, report: Report): Promise<Sealed> {
  let checkpoint = chainStart;
  for (let last: RawEntry | undefined; ; ) {
    await yieldToEventLoop();
    // Begins with the last one again, because others may have been given its `seq`.
    const where: Where<RawEntry> = [last ? ['seq', '>=', chain.head.seq] : ['seq', '!=', null]];
    const { left, page, spans } = await read(async (tables) => {
      const left = await readSignedCheckpoint(tables, hmac);
      const page = await tables.of(RawAuditLog).find({ where, order: [['seq', 'asc']], limit: pageSize });
      return { left, page, spans: await problemOfSpans(tables, page) };
    });
    if (left === 'changed') return { checkpoint, problem: 'The checkpoint of the audit log was changed.' };
    checkpoint = left;
    if (left.seq > chain.head.seq) {
      chain.goOnFrom(left);
      // The page, of the same snapshot, holds what follows.
      last = undefined;
    }
    for (const entry of page) {
      const problem = entry.id === last?.id ? null : chain.problemOf(entry);
      if (problem !== null) return { checkpoint, problem };
    }
    if (spans !== null) return { checkpoint, problem: spans };
    report(chain.checked, checkpoint);
    if (page.length < pageSize) return { checkpoint, problem: null };
    last = page.at(-1);
  }
}

interface ArchivedPart {
  readonly chain: ChainCheck;
  readonly checkpoint: Head;
  readonly heads: readonly Head[];
  readonly report: Report;
}

/** Verifies the entries that have left the store. @returns how many of them were verified only there. */
async function checkArchived(
  hmac: Hmac,
  { chain, checkpoint, heads, report }: ArchivedPart,
  { archive, noted }: VerifyOptions,
): Promise<{ readonly checked: number; readonly problem: string | null }> {
  const { seq, hash } = checkpoint;
  if (seq === 0) return { checked: 0, problem: null };
  if (archive) {
    const inStore = chain.checked;
    const onArchived = (count: number) => report(inStore + count, checkpoint);
    const problem = await problemOfArchive(archive, hmac, { checkpoint, heads, onProgress: onArchived });
    return { checked: chain.head.seq - inStore, problem };
  }
  const proves = 'only the archive of the audit log proves';
  if (archive === undefined)
    return { checked: 0, problem: `The entries up to ${seq} have left the database: ${proves} them.` };
  const isUnproved = noted && chain.unreached.includes(noted) && noted.seq <= seq && noted.hash !== hash;
  const problem = `Entry ${noted?.seq}, whose head was noted, has left the database: ${proves} it.`;
  return { checked: 0, problem: isUnproved ? problem : null };
}

interface Unsealed {
  readonly count: number;
  /** When the oldest was made; infinity where there is none. */
  readonly oldest: number;
  readonly problem: string | null;
}

const nothingUnsealed: Unsealed = { count: 0, oldest: Number.POSITIVE_INFINITY, problem: null };

async function checkUnsealed(read: Read, hmac: Hmac): Promise<Unsealed> {
  let { count, oldest } = nothingUnsealed;
  for (let last: number | undefined; ; ) {
    await yieldToEventLoop();
    const where: Where<RawEntry> = [['seq', '=', null], ...(last === undefined ? [] : [['id', '>', last] as const])];
    const { page, genuine } = await read(async (tables) => {
      const page = await tables.of(RawAuditLog).find({ where, order: [['id', 'asc']], limit: pageSize });
      return { page, genuine: await genuineEntries(tables, hmac, page) };
    });
    count += page.length;
    for (const entry of page) {
      const problem = problemOfUnsealed(entry, genuine.has(entry));
      if (problem !== null) return { count, oldest, problem };
      oldest = Math.min(oldest, entry.created_at as number);
    }
    if (page.length < pageSize) return { count, oldest, problem: null };
    last = page.at(-1)?.id;
  }
}

function problemOfUnsealed(entry: RawEntry, isGenuine: boolean): string | null {
  if (!isGenuine) return `${nameOf(entry)} was inserted past the service.`;
  if (entry.hash !== null) return `${nameOf(entry)} was changed: it has a hash, but no seq.`;
  return entry.forged === false || entry.forged === 0
    ? null
    : `${nameOf(entry)} was marked as forged, but the service wrote it.`;
}

/** Checks that the head which the sealer stored is there, and as it was stored. */
async function problemOfHead(read: Read, hmac: Hmac, end: Head, checkpoint: Head): Promise<string | null> {
  const stored = await read((tables) => readSignedHead(tables, hmac));
  if (stored === 'changed') return 'The head of the audit log that the sealer stored was changed.';
  if (stored && stored.seq < checkpoint.seq)
    return 'The head of the audit log that the sealer stored was replaced by an older one.';
  return stored === null && end.seq > 0 ? 'The head of the audit log that the sealer stored was removed.' : null;
}

/**
 * Checks that the spans of verified entries name their records: without them lists of one record would lack
 * entries. @returns what is wrong with the first one; null = nothing.
 */
async function problemOfSpans(tables: Tables, entries: readonly RawEntry[]): Promise<string | null> {
  const ids = entries.map(({ id }) => id).filter(Number.isSafeInteger);
  if (ids.length === 0) return null;
  const stored = Map.groupBy(
    await tables.of(AuditSpan).find({ where: [['entry_id', 'in', ids]], order: [['first_id', 'asc']] }),
    ({ entry_id }) => entry_id,
  );
  for (const entry of entries) {
    const expected = recordedIn(entry).flatMap((recorded) => spansOf(recorded, entry.id));
    const found = (stored.get(entry.id) ?? []).map(({ id: _id, ...span }) => span);
    if (JSON.stringify(found) !== JSON.stringify(expected))
      return `${nameOf(entry)} is not found by the records that it is about: its spans were changed.`;
  }
  return null;
}

/** Returns the changes in an entry about several records; of any other entry, nothing. */
function recordedIn({ entity_id, entity_type, changes }: RawEntry): Recorded[] {
  if (entity_id !== severalRecords) return [];
  const parsed: unknown = typeof changes === 'string' ? JSON.parse(changes) : changes;
  return isPlainObject(parsed) ? [{ entity_id, entity_type, changes: parsed } as Recorded] : [];
}
