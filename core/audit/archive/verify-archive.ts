import { yieldToEventLoop } from '../../loop/yield-to-event-loop.ts';
import type { Hmac } from '../../secret/vault.ts';
import { chainStart, type Head } from '../chain.ts';
import { ChainCheck } from '../chain-check.ts';
import type { AuditArchive } from './audit-archive.ts';
import { problemOfSegment, segmentsAmong } from './segment.ts';

interface ArchivedEntries {
  /** The last entry that has left the store, as the service signed it. */
  readonly checkpoint: Head;
  /** Heads that were stored elsewhere. */
  readonly heads: readonly Head[];
  onProgress?: ((checked: number) => void) | undefined;
}

/**
 * Verifies each line of an archive, and that it holds all entries up to the checkpoint. It may hold further ones, which
 * are about to leave the store. @returns what is wrong with the first line that does not verify; null = nothing.
 * @throws HorariumError `unavailable` when the archive cannot be read.
 */
export async function problemOfArchive(
  archive: AuditArchive,
  hmac: Hmac,
  { checkpoint, heads, onProgress }: ArchivedEntries,
): Promise<string | null> {
  const names = await archive.list();
  const segments = segmentsAmong(names);
  // Readers of the archive would take its lines for entries.
  const foreign = names.find((name) => name.endsWith('.jsonl') && !segments.some((segment) => segment.name === name));
  if (foreign !== undefined) return `${foreign} in ${archive.place} is no file of the audit log.`;
  /** The heads behind which segments begin, by their `seq`. */
  const starts = new Map<number, Head>([[0, chainStart]]);
  const firsts = new Set(segments.map(({ firstSeq }) => firstSeq));
  let end = 0;
  for (const segment of segments) {
    await yieldToEventLoop();
    const start = starts.get(segment.firstSeq - 1);
    if (!start && end < checkpoint.seq) break;
    if (!start)
      return `${segment.name} in ${archive.place} does not follow the entries before it, which end at ${end}.`;
    const chain = new ChainCheck(hmac, [...heads, checkpoint], start, (head) => {
      if (firsts.has(head.seq + 1)) starts.set(head.seq, head);
      if (head.seq > end) end = head.seq;
      if (end % 1000 === 0) onProgress?.(end);
    });
    const problem = await problemOfSegment(archive, segment, chain);
    if (problem !== null) return problem;
  }
  if (end >= checkpoint.seq) return null;
  return `Entry ${end + 1} has left the database, and no file in ${archive.place} holds it.`;
}
