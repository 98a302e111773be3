import { hrefOf } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import { words } from '../words/words.ts';
import type { AuditEntry } from './entry.ts';
import { EntryList } from './entry-list.tsx';

const shownEntries = 10;

interface AuditTrailProps {
  /** The kind of the record: `RunTemplate`. */
  readonly of: string;
  readonly id: number;
  /** @default that it is about changes */
  readonly title?: string;
}

/** The last changes of a record, the newest first. Nothing is shown where the reader may see none of them. */
export function AuditTrail({ of, id, title }: AuditTrailProps) {
  const text = words.value.audit;
  const record = `entity_type=${of}&entity_id=${id}`;
  const page = useLivePage<AuditEntry>(`/auditlog.json?${record}&limit=${shownEntries}`, { kinds: [of] });
  if (!page.value || page.value.rows.length === 0) return null;
  return (
    <section class="trail">
      <h2>
        {title ?? text.trail} <a href={hrefOf(`/audit?${record}`)}>{text.trailAll}</a>
      </h2>
      <EntryList of={page.value.rows} label={title ?? text.trail} here />
    </section>
  );
}
