import { useSignal } from '@preact/signals';
import { hrefOf } from '../app/router.ts';
import { Row } from '../lists/rows.tsx';
import { Act } from '../parts/act.tsx';
import { Dot } from '../parts/dot.tsx';
import { Name } from '../parts/name.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { Diff } from './diff.tsx';
import type { AuditEntry } from './entry.ts';
import { EntrySentence, recordTitle } from './entry-sentence.tsx';
import { UndoAct } from './undo-entry.tsx';

interface EntryRowProps {
  readonly of: AuditEntry;
  /** Whether all rows are about one record. */
  readonly here: boolean;
}

/** An entry of the audit log in a sentence, with what it changed and how it is undone. */
export function EntryRow({ of: entry, here }: EntryRowProps) {
  const text = words.value.audit;
  const isOpen = useSignal(false);
  const { id, created_at, channel, company_id, entity_type, forged } = entry;
  const record = recordTitle(entry);
  return (
    <Row
      lead={<When at={created_at} as="time" />}
      title={<EntrySentence of={entry} here={here} />}
      href={hrefOf(`/audit/${id}`)}
      under={
        <>
          {forged && (
            <span class="mistake">
              <Dot state="forged" named={false} /> {text.isForged} ·{' '}
            </span>
          )}
          {text.channels[channel] ?? channel}
          {company_id !== null && !here && entity_type !== 'Company' && (
            <>
              {' · '}
              <Name of="Company" id={company_id} />
            </>
          )}
        </>
      }
      acts={
        <>
          <UndoAct of={entry} label={text.undoOf(record)} />
          <Act
            shortcut="d"
            label={text.detailsOf(record)}
            expanded={isOpen.value}
            act={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            {text.details}
          </Act>
        </>
      }
      more={isOpen.value && <Diff of={entry} />}
    />
  );
}
