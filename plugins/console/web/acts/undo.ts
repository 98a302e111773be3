import { now } from '../data/clock.ts';
import { type Model, mayWrite, nameOfField } from '../data/model.ts';
import { Problem } from '../data/problem.ts';
import { read, request, warningsOf } from '../data/request.ts';
import { session } from '../data/session.ts';
import type { FieldChanges } from '../data/why.ts';
import { say } from '../parts/messages.tsx';
import { momentText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import { readStatus } from './change-status.ts';

/** A change of a record, which an entry of the audit log has. */
export interface RecordedChange {
  /** The id of the entry. */
  readonly auditlog_id: number;
  readonly action: string;
  readonly entity_type: string;
  readonly entity_id: number;
}

interface UndoContext {
  readonly model: Model | null;
  /** The company that the change is about. */
  readonly companyId: number | null;
}

/**
 * Whether the user may save what a record had before a change. What the service alone sets is none of it, such as from where a
 * record was imported, and what has ended stays so. The service decides whether the rest is still possible.
 */
export function mayUndo(
  changes: FieldChanges,
  { action, entity_type, entity_id }: RecordedChange,
  { model, companyId }: UndoContext,
): boolean {
  const resource = model?.resources.find(({ name }) => name === entity_type);
  if (!resource || action !== 'update' || entity_id === 0 || Object.hasOwn(changes, 'ended_at')) return false;
  const ofService = new Set(resource.fields.flatMap(({ name, read_only = false }) => (read_only ? [name] : [])));
  if (Object.keys(changes).every((name) => ofService.has(name))) return false;
  return resource.operations.includes('save') && mayWrite(resource, 'update', companyId);
}

/** Saves the values that a record had before a change, and says so; Undo saves those after it. @throws Problem */
export async function undoChange(change: RecordedChange, title: string): Promise<void> {
  const { act } = words.value;
  await undo(change, false);
  say(act.undone(title), {
    undoLabel: act.redo,
    undo: async () => {
      await undoNewest(change);
      say(act.redone(title));
    },
  });
}

/** Finds out what undoing a change would do. @throws Problem when it cannot be undone. */
export async function previewUndo(change: RecordedChange) {
  const { value, headers } = await undo(change, true);
  // The fields say what a dry run would do.
  const warnings = warningsOf(headers).filter((sentence) => !/^(?:dry run|would update)\b/.test(sentence));
  return { changes: value.changes, warnings };
}

async function undo(change: Pick<RecordedChange, 'auditlog_id' | 'entity_type'>, dry_run: boolean) {
  const path = `/auditlog/${change.auditlog_id}/undo.json`;
  try {
    return await request<{ readonly changes: FieldChanges }>(path, { method: 'POST', query: { dry_run } });
  } catch (error) {
    throw error instanceof Problem && error.status === 409 ? await inWords(error, change) : error;
  }
}

/** Says why a change cannot be undone with the names that pages have, where another change is the reason. */
async function inWords(
  refusal: Problem,
  change: Pick<RecordedChange, 'auditlog_id' | 'entity_type'>,
): Promise<Problem> {
  const { act } = words.value;
  const { undone_by: undone, replaced_by: replaced } = (await readStatus(change.auditlog_id)) ?? {};
  const when = (at: string) => momentText(Date.parse(at), now.value);
  if (undone) return new Problem(409, refusal.code, act.undoneSince(undone.actor, when(undone.at)));
  if (!replaced) return refusal;
  const fields = replaced.fields.map((field) => nameOfField(change.entity_type, field)).join(', ');
  return new Problem(409, refusal.code, act.changedSince(replaced.actor, fields, when(replaced.at)));
}

/** Undoes the last change that the user made of a record: the service refuses where another one has changed it since. */
async function undoNewest({ entity_type, entity_id }: RecordedChange): Promise<void> {
  const user_id = session.value?.user.id;
  const query = { entity_type, entity_id, user_id, limit: 1 };
  const [newest] = await read<readonly { readonly id: number }[]>('/auditlog.json', query);
  if (newest) await undo({ auditlog_id: newest.id, entity_type }, false);
}
