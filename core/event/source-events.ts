import { asStored } from '../audit/audited-table.ts';
import { sha256 } from '../bytes/sha256.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { maxReason } from '../task/task.ts';
import { Event, type EventRow, maxEventKey } from './event.ts';
import type { EventSourceRow } from './event-source.ts';
import type { SourceChange } from './event-source-kind.ts';

/**
 * Inserts the events of changes that a source reports, but for those that it has reported before, which their keys tell.
 * @returns the new events, in the order of the changes.
 */
export async function newSourceEvents(
  tables: Tables,
  source: Pick<EventSourceRow, 'id'>,
  changes: readonly SourceChange[],
): Promise<EventRow[]> {
  if (changes.length === 0) return [];
  const rows = await Promise.all(changes.map((change) => newEvent(source.id, change)));
  const ids = await tables.of(Event).insertAbsent(rows, ['event_source_id', 'key']);
  const now = await tables.now();
  return rows.flatMap((row, index) => {
    const id = ids[index];
    return typeof id === 'number' ? [asStored(Event, undefined, { ...row, id }, now)] : [];
  });
}

async function newEvent(sourceId: number, change: SourceChange): Promise<Omit<EventRow, 'id'>> {
  const { key, evidence, operation, recordId, payload } = change;
  const problem = change.problem ?? problemOf(change);
  return newRow(Event, {
    kind: 'source',
    event_source_id: sourceId,
    key: key.length > maxEventKey ? await shortened(key) : key,
    evidence: evidence?.slice(0, maxEvidence) ?? null,
    operation: operation?.slice(0, maxEvidence) ?? null,
    record_id: recordId?.slice(0, maxRecordId) ?? null,
    payload,
    problem: problem?.slice(0, maxReason) ?? null,
  });
}

const maxEvidence = 255;
const maxRecordId = 1024;

/** Returns why a change does not fit an event, whose values are then cut off; null if it fits. */
function problemOf({ key, evidence, operation, recordId }: SourceChange): string | null {
  if (key.length > maxEventKey) return `its key has ${key.length} characters, at most ${maxEventKey} are allowed`;
  for (const [name, value, max] of [
    ['evidence', evidence, maxEvidence],
    ['operation', operation, maxEvidence],
    ['record id', recordId, maxRecordId],
  ] as const)
    if ((value?.length ?? 0) > max) return `its ${name} has ${value?.length} characters, at most ${max} are allowed`;
  return null;
}

/** Shortens a key so that keys that differ still do. */
async function shortened(key: string): Promise<string> {
  return `${key.slice(0, maxEventKey - 65)} ${await sha256(new TextEncoder().encode(key))}`;
}
