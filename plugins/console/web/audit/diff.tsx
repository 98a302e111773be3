import { useModel } from '../data/model.ts';
import { mask } from '../form/values.ts';
import { titleAt } from '../parts/text/title.ts';
import { Value } from '../records/cells.tsx';
import { words } from '../words/words.ts';
import {
  type AuditEntry,
  type ChangedValue,
  type Changes,
  changedValues,
  changesByRecord,
  isEmpty,
  resourceOf,
} from './entry.ts';

/** How many records of a shared entry are shown at once. */
const maxRecords = 10;

/** What an entry changed: each field before and after, of each of its records. */
export function Diff({ of: entry }: { readonly of: AuditEntry }) {
  const text = words.value.audit;
  const records = changesByRecord(entry);
  if (entry.entity_id !== 0) return <FieldTable entry={entry} changes={entry.changes} label={text.changes} />;
  const shown = (some: typeof records) =>
    some.map(([id, changes]) => {
      const title = titleAt(entry.entity_type, id);
      return (
        <section key={id} class="part">
          <p>
            <b>
              <bdi>{title}</bdi>
            </b>
          </p>
          <FieldTable entry={entry} changes={changes} label={title} />
        </section>
      );
    });
  return (
    <>
      {shown(records.slice(0, maxRecords))}
      {records.length > maxRecords && (
        <details>
          <summary>{text.moreRecords(records.length - maxRecords)}</summary>
          {shown(records.slice(maxRecords))}
        </details>
      )}
    </>
  );
}

interface FieldTableProps {
  readonly entry: AuditEntry;
  readonly changes: Changes;
  readonly label: string;
}

/** The fields that changed. A record that was created has no values before, and one that was deleted none after. */
export function FieldTable({ entry, changes, label }: FieldTableProps) {
  const text = words.value.audit;
  const model = useModel();
  const values = changedValues(changes, resourceOf(entry, model));
  if (values.length === 0) return <p class="soft">{text.noFields}</p>;
  const hasBefore = entry.action !== 'create';
  const hasAfter = entry.action !== 'delete';
  const isChange = hasBefore && hasAfter;
  return (
    <table class={isChange ? 'diff' : 'diff values'} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{text.field}</th>
          {hasBefore && <th scope="col">{isChange ? text.before : text.value}</th>}
          {hasAfter && <th scope="col">{isChange ? text.after : text.value}</th>}
        </tr>
      </thead>
      <tbody>
        {values.map((value) => (
          <tr key={value.label}>
            <th scope="row">
              <bdi lang={value.lang}>{value.label}</bdi>
            </th>
            {hasBefore && (
              <td>
                <del>
                  <DiffValue of={value} value={value.before} />
                </del>
              </td>
            )}
            {hasAfter && (
              <td>
                <ins>
                  <DiffValue of={value} value={value.after} />
                </ins>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How long a value may be that is shown unfolded. */
const maxUnfolded = 240;

/** A value of a field; a large one is folded. */
function DiffValue({ of: { field }, value }: { readonly of: ChangedValue; readonly value: unknown }) {
  const text = words.value.audit;
  if (isEmpty(value)) return <span class="soft">–</span>;
  if (value === mask) return <span class="soft">{text.secret}</span>;
  const length = typeof value === 'string' ? value.length : JSON.stringify(value).length;
  const shown = <Value field={field} value={value} />;
  if (length <= maxUnfolded) return shown;
  return (
    <details>
      <summary>{text.folded(length)}</summary>
      <div class="folded">{shown}</div>
    </details>
  );
}
