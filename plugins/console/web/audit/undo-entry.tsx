import { undoneBy } from '../acts/change-status.ts';
import { mayUndo, previewUndo, type RecordedChange, undoChange } from '../acts/undo.ts';
import { UndoneBy } from '../acts/undone-by.tsx';
import { type Model, useModel } from '../data/model.ts';
import { Act } from '../parts/act.tsx';
import { ask } from '../parts/ask.tsx';
import { Clause } from '../parts/clause.tsx';
import { words } from '../words/words.ts';
import { FieldTable } from './diff.tsx';
import type { AuditEntry } from './entry.ts';
import { recordTitle } from './entry-sentence.tsx';

/** Whether the user may save what a record had before the change of an entry. */
function mayUndoEntry(entry: AuditEntry, model: Model | null): boolean {
  return !entry.forged && mayUndo(entry.changes, changeOf(entry), { model, companyId: entry.company_id });
}

interface UndoActProps {
  readonly of: AuditEntry;
  /** Names the button for screen readers. @default its text */
  readonly label?: string;
}

/** The button that undoes the change of an entry, or who has undone it; nothing for those who may not. */
export function UndoAct({ of: entry, label }: UndoActProps) {
  const model = useModel();
  if (!mayUndoEntry(entry, model)) return null;
  const undone = undoneBy(changeOf(entry));
  if (undone) return <UndoneBy of={undone} />;
  return (
    <Act shortcut="u" {...(label !== undefined && { label })} act={() => askAndUndo(entry)}>
      {words.value.act.undo}
    </Act>
  );
}

/** Saves the former values of a change, after it has shown which ones. @throws Problem when it cannot be undone. */
async function askAndUndo(entry: AuditEntry): Promise<void> {
  const text = words.value.audit;
  const title = recordTitle(entry);
  const change = changeOf(entry);
  const { changes, warnings } = await previewUndo(change);
  const form = await ask({
    title: text.undoTitle(title),
    content: (
      <>
        <p class="soft">{text.undoEffect}</p>
        <FieldTable entry={entry} changes={changes} label={text.undoEffect} />
        {warnings.length > 0 && (
          <ul>
            {warnings.map((sentence) => (
              <li key={sentence}>
                <Clause of={sentence} />
              </li>
            ))}
          </ul>
        )}
      </>
    ),
    confirm: words.value.act.undo,
  });
  if (form) await undoChange(change, title);
}

function changeOf({ id, action, entity_type, entity_id }: AuditEntry): RecordedChange {
  return { auditlog_id: id, action, entity_type, entity_id };
}
