import { hrefOf } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import { words } from '../words/words.ts';
import type { AuditEntry } from './entry.ts';
import { EntryList } from './entry-list.tsx';

const shownEntries = 10;
/** The kinds of records whose changes say what became of a company. */
const companyKinds = ['Company', 'CompanyUser'];
/** How many pauses of a template are looked at, the newest. */
const maxPauses = 20;

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
  const isCompany = of === 'Company';
  const record = isCompany ? `company_id=${id}&entity_type=${companyKinds}` : `entity_type=${of}&entity_id=${id}`;
  const entries = useEntries(record, isCompany ? companyKinds : [of]);
  return (
    <Trail
      of={entries ?? []}
      all={isCompany ? `company=${id}` : record}
      title={title}
      here={isCompany ? undefined : of}
    />
  );
}

interface TemplateTrailProps {
  readonly id: number;
  /** The id of its App, whose command its jobs run. */
  readonly app: number;
}

/** The last changes of a template, of its App and of its pauses, as `AuditTrail` shows those of a record. */
export function TemplateTrail({ id, app }: TemplateTrailProps) {
  const record = `entity_type=RunTemplate&entity_id=${id}`;
  const pauses = useLivePage<{ readonly id: number }>(`/pauses.json?runtemplate_id=${id}&limit=${maxPauses}`, {
    kinds: ['Pause'],
  });
  const ids = (pauses.value?.rows ?? []).map((pause) => pause.id);
  const ofTemplate = useEntries(record, ['RunTemplate']);
  const ofApp = useEntries(`entity_type=App&entity_id=${app}`, ['App']);
  const ofPauses = useEntries(ids.length === 0 ? null : `entity_type=Pause&entity_id=${ids}`, ['Pause']);
  const isPausesKnown = pauses.error !== null || (pauses.value !== undefined && (ids.length === 0 || ofPauses));
  // They appear together, so that none moves when others come.
  if (!ofTemplate || !ofApp || !isPausesKnown) return null;
  const newest = [...ofTemplate, ...ofApp, ...(ofPauses ?? [])].toSorted((one, other) => other.id - one.id);
  return <Trail of={newest.slice(0, shownEntries)} all={record} here="RunTemplate" />;
}

/**
 * @param query null = none are read.
 * @returns undefined until they are read; none where the reader may not see them.
 */
function useEntries(query: string | null, kinds: readonly string[]): readonly AuditEntry[] | undefined {
  const path = query === null ? null : `/auditlog.json?${query}&limit=${shownEntries}`;
  const { value, error } = useLivePage<AuditEntry>(path, { kinds });
  return value?.rows ?? (error ? [] : undefined);
}

interface TrailProps {
  readonly of: readonly AuditEntry[];
  /** The query of the view that has all of them. */
  readonly all: string;
  readonly title?: string | undefined;
  readonly here: string | undefined;
}

function Trail({ of, all, title = words.value.audit.trail, here }: TrailProps) {
  if (of.length === 0) return null;
  return (
    <section class="trail">
      <h2>
        {title} <a href={hrefOf(`/audit?${all}`)}>{words.value.audit.trailAll}</a>
      </h2>
      <EntryList of={of} label={title} here={here} />
    </section>
  );
}
