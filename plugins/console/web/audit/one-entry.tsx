import { hrefOf } from '../app/router.ts';
import { viewOf } from '../app/views.ts';
import { AuditTrail } from '../audit/audit-trail.tsx';
import { useLive } from '../data/answer.ts';
import { useModel } from '../data/model.ts';
import { Answered } from '../parts/answered.tsx';
import { Facts } from '../parts/facts.tsx';
import { Name } from '../parts/name.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { Diff } from './diff.tsx';
import { type AuditEntry, shownEntry } from './entry.ts';
import { EntrySentence, recordTitle } from './entry-sentence.tsx';
import { UndoAct } from './undo-entry.tsx';

/** One entry of the audit log: what it says, what it changed, and what proves it. */
export function OneEntry({ parts: [id] }: { readonly parts: readonly string[] }) {
  // It is sealed some seconds after it was written.
  const entry = useLive<AuditEntry>(`/auditlog/${id}.json`, { every: 10_000 });
  return <Answered of={entry}>{(value) => <Page key={value.id} entry={shownEntry(value)} />}</Answered>;
}

function Page({ entry }: { readonly entry: AuditEntry }) {
  const text = words.value.audit;
  const model = useModel();
  const { entity_type, entity_id, channel, company_id, user_id, actor, created_at, forged } = entry;
  const view = entity_id === 0 || entry.action === 'delete' ? null : viewOf(entity_type, entity_id, model);
  const record = entity_id === 0 ? null : recordTitle(entry);
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf('/audit')}>{words.value.nav.audit}</a>
      </p>
      <h1 class="sentence">
        <EntrySentence of={entry} />
      </h1>
      <p class="sub">
        <When at={created_at} as="moment" />, {text.channels[channel] ?? channel}
      </p>
      {forged && (
        <p class="mistake" role="alert">
          {text.forgedEntry}
        </p>
      )}
      <div class="acts">
        <UndoAct of={entry} />
      </div>
      <h2>{text.changes}</h2>
      <Diff of={entry} />
      <h2>{text.details}</h2>
      <Facts
        of={[
          [
            text.record,
            record !== null && view !== null ? (
              <a key="record" href={hrefOf(view)}>
                <bdi>{record}</bdi>
              </a>
            ) : (
              record
            ),
          ],
          [
            text.user,
            user_id === null ? <bdi key="actor">{actor}</bdi> : <Name key="user" of="User" id={user_id} link />,
          ],
          [text.company, company_id === null ? null : <Name key="company" of="Company" id={company_id} link />],
          [text.ip, entry.ip],
          [text.request, entry.request_id === null ? null : <code key="request">{entry.request_id}</code>],
          [text.entry, entry.id],
          [text.seq, entry.seq ?? (forged ? null : text.notSealed)],
          [text.hash, entry.hash === null ? null : <code key="hash">{entry.hash}</code>],
        ]}
      />
      {entity_id !== 0 && <AuditTrail of={entity_type} id={entity_id} title={text.others} />}
    </>
  );
}
