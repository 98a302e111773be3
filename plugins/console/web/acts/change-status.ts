import { Mentioned, partsOf } from '../data/mentioned.ts';
import { read } from '../data/request.ts';
import type { UndoingChange } from '../data/why.ts';

/** Whether a change is still in force. */
export interface ChangeStatus {
  readonly auditlog_id: number;
  readonly undone_by: UndoingChange | null;
  readonly replaced_by: (UndoingChange & { readonly fields: readonly string[] }) | null;
}

interface ChangeOfRecord {
  readonly auditlog_id: number;
  readonly entity_type: string;
  readonly entity_id: number;
}

/** How many changes one answer is about. */
const maxAtOnce = 100;

const recordOf = (kind: string, id: number) => `${kind} ${id} `;

const statuses = new Mentioned<ChangeStatus>({
  max: 1000,
  batchesOf: (keys) => partsOf(keys, maxAtOnce),
  readSome: async (keys) => {
    const ids = keys.map((key) => key.split(' ').at(-1)).join();
    const found = await read<readonly ChangeStatus[]>('/console/change-status', { auditlog_id: ids });
    const byId = new Map(found.map((status) => [String(status.auditlog_id), status]));
    return new Map(
      keys.flatMap((key) => {
        const status = byId.get(key.split(' ').at(-1) ?? '');
        return status ? [[key, status] as const] : [];
      }),
    );
  },
  changedBy: ({ entity_type, entity_id }, known) =>
    [...known.keys()].filter((key) => key.startsWith(recordOf(entity_type, entity_id))),
});

/** Who has undone a change, as far as that is known: null where it was not undone, undefined until it is known. */
export function undoneBy({ auditlog_id, entity_type, entity_id }: ChangeOfRecord): UndoingChange | null | undefined {
  const status = statuses.get(`${recordOf(entity_type, entity_id)}${auditlog_id}`);
  return status?.undone_by;
}

/** Reads whether a change is in force; null = it is. @throws Problem */
export async function readStatus(auditlog_id: number): Promise<ChangeStatus | null> {
  const [status = null] = await read<readonly ChangeStatus[]>('/console/change-status', { auditlog_id });
  return status;
}
