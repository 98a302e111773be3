import { hrefOf } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import { words } from '../words/words.ts';
import type { AuditEntry } from './entry.ts';
import { EntryList } from './entry-list.tsx';

const shownEntries = 10;
/** The kinds of records whose changes say what became of a company. */
const companyKinds = ['Company', 'CompanyUser'];

interface AuditTrailProps {
  /** The kind of the record: `RunTemplate`. */
  readonly of: string;
  readonly id: number;
  /** @default that it is about changes */
  readonly title?: string;
}

/**
 * The last changes of a record, the newest first; to a company belong those of its members, too. Nothing is shown where the reader
 * may see none of them.
 */
export function AuditTrail({ of, id, title }: AuditTrailProps) {
  const text = words.value.audit;
  const isCompany = of === 'Company';
  const record = isCompany ? `company_id=${id}&entity_type=${companyKinds}` : `entity_type=${of}&entity_id=${id}`;
  const page = useLivePage<AuditEntry>(`/auditlog.json?${record}&limit=${shownEntries}`, {
    kinds: isCompany ? companyKinds : [of],
  });
  if (!page.value || page.value.rows.length === 0) return null;
  return (
    <section class="trail">
      <h2>
        {title ?? text.trail}{' '}
        <a href={hrefOf(isCompany ? `/audit?company=${id}` : `/audit?${record}`)}>{text.trailAll}</a>
      </h2>
      <EntryList of={page.value.rows} label={title ?? text.trail} here={!isCompany} />
    </section>
  );
}
