import { type Model, mayWrite } from '../data/model.ts';
import { read, request, warningsOf } from '../data/request.ts';
import { session } from '../data/session.ts';
import { ask } from '../parts/ask.tsx';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';
import { FieldTable } from './diff.tsx';
import { type AuditEntry, type Changes, resourceOf } from './entry.ts';
import { recordTitle } from './entry-sentence.tsx';

interface Undone {
  readonly changes: Changes;
}

/** Whether the user may save what a record had before a change. The service decides whether that is still possible. */
export function mayUndo(entry: AuditEntry, model: Model | null): boolean {
  const resource = resourceOf(entry, model);
  if (!resource || entry.action !== 'update' || entry.forged || entry.entity_id === 0) return false;
  return resource.operations.includes('save') && mayWrite(resource, 'update', entry.company_id);
}

/** Saves the former values of a change, after it has shown which ones. @throws Problem when it cannot be undone. */
export async function askAndUndo(entry: AuditEntry): Promise<void> {
  const text = words.value.audit;
  const title = recordTitle(entry);
  const dryRun = await undo(entry.id, true);
  // The table says what a dry run would do.
  const warnings = warningsOf(dryRun.headers).filter((sentence) => !/^(?:dry run|would update)\b/.test(sentence));
  const form = await ask({
    title: text.undoTitle(title),
    content: (
      <>
        <p class="soft">{text.undoEffect}</p>
        <FieldTable entry={entry} changes={dryRun.value.changes} label={text.undoEffect} />
        {warnings.length > 0 && (
          <ul>
            {warnings.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
      </>
    ),
    confirm: text.undo,
  });
  if (!form) return;
  await undo(entry.id, false);
  say(text.undone(title), async () => {
    await undoNewest(entry);
    say(text.redone(title));
  });
}

function undo(id: number, dry_run: boolean) {
  return request<Undone>(`/auditlog/${id}/undo.json`, { method: 'POST', query: { dry_run } });
}

/** Undoes the last change that the user made of a record: the service refuses where another one has changed it since. */
async function undoNewest({ entity_type, entity_id }: AuditEntry): Promise<void> {
  const user_id = session.value?.user.id;
  const [newest] = await read<readonly AuditEntry[]>('/auditlog.json', { entity_type, entity_id, user_id, limit: 1 });
  if (newest) await undo(newest.id, false);
}
