import { isPlainObject } from '../../field/value-path.ts';
import { yieldToEventLoop } from '../../loop/yield-to-event-loop.ts';
import { jsonText } from '../../store/stored-values.ts';
import { AuditLog } from '../audit-log.ts';
import type { ChainCheck } from '../chain-check.ts';
import type { RawEntry } from '../signed-entry.ts';
import type { AuditArchive } from './audit-archive.ts';

// A segment holds consecutive sealed entries, one a line: each column as the database had it, so that `changes` is the
// JSON text that was signed.

export interface Segment {
  readonly name: string;
  /** The `seq` of its first entry. */
  readonly firstSeq: number;
}

const nameFormat = /^audit-(\d{12,16})\.jsonl$/;
const columns: ReadonlySet<string> = new Set(AuditLog.columns.map(({ name }) => name));

/** Names a segment by its first entry, so that names are in the order of the chain. */
export function segmentStartingAt(firstSeq: number): Segment {
  return { name: `audit-${String(firstSeq).padStart(12, '0')}.jsonl`, firstSeq };
}

/** Returns the segments among the files of an archive, in the order of the chain. */
export function segmentsAmong(names: readonly string[]): Segment[] {
  const found = names.flatMap((name): Segment[] => {
    const firstSeq = nameFormat.exec(name)?.[1];
    return firstSeq === undefined ? [] : [{ name, firstSeq: Number(firstSeq) }];
  });
  return found.sort((one, other) => one.firstSeq - other.firstSeq);
}

/** Returns the line of an entry, without a line break. */
export function entryLine(entry: RawEntry): string {
  const { changes } = entry;
  // A store in memory holds structured data in place of its text.
  return JSON.stringify({ ...entry, changes: typeof changes === 'string' ? changes : jsonText(changes) });
}

/**
 * Verifies the entries of a segment that follow the head of a chain; those before it are read, and not verified.
 * @returns what is wrong with the first line that is not as it was written; null = nothing.
 * @throws HorariumError `unavailable` when the segment cannot be read.
 */
export async function problemOfSegment(
  archive: AuditArchive,
  { name, firstSeq }: Segment,
  chain: ChainCheck,
): Promise<string | null> {
  const place = `${name} in ${archive.place}`;
  let seq = firstSeq;
  for await (const line of archive.read(name)) {
    await yieldToEventLoop();
    const entry = parseLine(line);
    if (!entry) return `Line ${seq - firstSeq + 1} of ${place} is no entry of the audit log.`;
    const isPassed = seq <= chain.head.seq && entry.seq === seq;
    const problem = isPassed ? null : chain.problemOf(entry);
    if (problem !== null) return `${problem} It is in ${place}.`;
    seq += 1;
  }
  return null;
}

/** Reads a line that is exactly as `entryLine` wrote it; null = it is not. */
function parseLine(line: string): RawEntry | null {
  try {
    const parsed: unknown = JSON.parse(line);
    const isEntry = isPlainObject(parsed) && Object.keys(parsed).every((name) => columns.has(name));
    return isEntry && JSON.stringify(parsed) === line ? (parsed as unknown as RawEntry) : null;
  } catch {
    return null;
  }
}
