import type { ComponentChildren } from 'preact';
import { useModel } from '../data/model.ts';
import type { SavedChange } from '../data/why.ts';
import { Act } from '../parts/act.tsx';
import { words } from '../words/words.ts';
import { mayUndo, undoChange } from './undo.ts';
import { UndoneBy } from './undone-by.tsx';

interface UndoButtonProps {
  readonly of: SavedChange;
  /** The company that the change is about. */
  readonly companyId: number | null;
  /** Names the button for screen readers. */
  readonly label: string;
  /** @default Undo */
  readonly children?: ComponentChildren;
}

/** Undoes a change, or says who has undone it; there is no button for those who may not. */
export function UndoButton({ of, companyId, label, children }: UndoButtonProps) {
  const model = useModel();
  if (of.undone_by) return <UndoneBy of={of.undone_by} />;
  if (!mayUndo(of.changes, of, { model, companyId })) return null;
  return (
    <Act label={label} act={() => undoChange(of, of.name ?? of.entity_type)}>
      {children ?? words.value.act.undo}
    </Act>
  );
}
