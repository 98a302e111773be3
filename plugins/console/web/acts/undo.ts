import { type Model, mayWrite } from '../data/model.ts';
import { read, request, warningsOf } from '../data/request.ts';
import { session } from '../data/session.ts';
import type { FieldChanges } from '../data/why.ts';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';

/** A change of a record, which an entry of the audit log has. */
export interface RecordedChange {
  /** The id of the entry. */
  readonly auditlog_id: number;
  readonly action: string;
  readonly entity_type: string;
  readonly entity_id: number;
}

/** Whether the user may save what a record had before a change. The service decides whether that is still possible. */
export function mayUndo(
  { action, entity_type, entity_id }: RecordedChange,
  companyId: number | null,
  model: Model | null,
): boolean {
  const resource = model?.resources.find(({ name }) => name === entity_type);
  if (!resource || action !== 'update' || entity_id === 0) return false;
  return resource.operations.includes('save') && mayWrite(resource, 'update', companyId);
}

/** Saves the values that a record had before a change, and says so; Undo saves those after it. @throws Problem */
export async function undoChange(change: RecordedChange, title: string): Promise<void> {
  const { act } = words.value;
  await undo(change.auditlog_id, false);
  say(act.undone(title), {
    undo: async () => {
      await undoNewest(change);
      say(act.redone(title));
    },
  });
}

/** Finds out what undoing a change would do. @throws Problem when it cannot be undone. */
export async function previewUndo({ auditlog_id }: RecordedChange) {
  const { value, headers } = await undo(auditlog_id, true);
  // The fields say what a dry run would do.
  const warnings = warningsOf(headers).filter((sentence) => !/^(?:dry run|would update)\b/.test(sentence));
  return { changes: value.changes, warnings };
}

function undo(id: number, dry_run: boolean) {
  return request<{ readonly changes: FieldChanges }>(`/auditlog/${id}/undo.json`, {
    method: 'POST',
    query: { dry_run },
  });
}

/** Undoes the last change that the user made of a record: the service refuses where another one has changed it since. */
async function undoNewest({ entity_type, entity_id }: RecordedChange): Promise<void> {
  const user_id = session.value?.user.id;
  const query = { entity_type, entity_id, user_id, limit: 1 };
  const [newest] = await read<readonly { readonly id: number }[]>('/auditlog.json', query);
  if (newest) await undo(newest.id, false);
}
