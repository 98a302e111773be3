import type { TargetedMouseEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { company, hrefOf, query, setQuery } from '../app/router.ts';
import { type Page, useKept, useLivePage } from '../data/answer.ts';
import { type FieldModel, mayWrite, type ResourceModel } from '../data/model.ts';
import type { AnyRecord } from '../data/records.ts';
import { maxFound, useFound } from '../data/search.ts';
import { SelectFilter, TextFilter } from '../lists/choice.tsx';
import { pageSize } from '../lists/narrowed.ts';
import { Pages } from '../lists/pages.tsx';
import { useSteady } from '../lists/steady.ts';
import { ManageCrumbs } from '../manage/crumbs.tsx';
import { Answered } from '../parts/answered.tsx';
import { Clause } from '../parts/clause.tsx';
import { titleIn } from '../parts/text/title.ts';
import { words } from '../words/words.ts';
import { Value } from './cells.tsx';

/** The parameters that say which of the rows are on the page. */
const place = ['after', 'order'];
const noPage: Page<AnyRecord> = { rows: [], total: '0', next: null };

/** The records of one kind: filtered, sorted, a page at a time, with the fields that identify one. */
export function RecordList({ resource }: { readonly resource: ResourceModel }) {
  const text = words.value.records;
  const { words: kind, langs } = resource;
  const filters = resource.fields.filter(({ filter, type }) => filter && ['choice', 'flag'].includes(type));
  const narrowed = new URLSearchParams(chosenOf(filters.map(({ name }) => name)));
  const hasCompany = resource.fields.some(({ name, filter }) => name === 'company_id' && filter);
  if (company.value !== null && hasCompany) narrowed.set('company_id', String(company.value));
  const typed = resource.searched ? (query.value.get('q') ?? '').trim() : '';
  const search = useFound(typed, { resource: resource.name, filters: narrowed });
  const found = search.value?.rows.map(({ id }) => id);
  const parameters = new URLSearchParams([
    ...narrowed,
    ['limit', String(pageSize)],
    ...chosenOf(place),
    ...(found ? [['id', found.join()]] : []),
  ]);
  const isRead = found ? found.length > 0 : typed === '';
  const path = isRead ? `/${resource.plural}.json?${parameters}` : null;
  const read = useLivePage<AnyRecord>(path, { kinds: [resource.name] });
  const { value, error } = useKept(found?.length === 0 ? { value: noPage, error: null } : read);
  const page = { value, error: search.error ?? error };
  // The rows of the view before stay until its own have come.
  const view = useRef('');
  if (search.isCurrent && (read.value || path === null)) view.current = `${typed} ${narrowed} ${chosenOf(place)}`;
  const steady = useSteady(page.value?.rows ?? [], ({ id }) => id, view.current);
  const columns = resource.summary.flatMap((name) =>
    resource.fields.filter((field) => field.name === name && name !== 'id'),
  );
  return (
    <>
      <ManageCrumbs />
      <h1>
        <span lang={langs?.words}>{kind.all}</span> {page.value?.total}
      </h1>
      <p class="sub" lang={langs?.description}>
        {resource.description}
      </p>
      <div class="filters">
        {resource.searched && <TextFilter name="q" label={kind.find} />}
        {filters.map((field) => (
          <Filter key={field.name} field={field} />
        ))}
        <span class="spacer" />
        {mayWrite(resource, 'create', company.value) && resource.operations.includes('save') && (
          <a class="button" data-key="n" href={hrefOf(`/manage/${resource.plural}/new`)}>
            {kind.add}
          </a>
        )}
      </div>
      {found?.length === maxFound && <p class="soft">{text.best(maxFound)}</p>}
      {search.value?.warnings.map((sentence) => (
        <p key={sentence} class="soft">
          <Clause of={sentence} />
        </p>
      ))}
      <Answered of={page}>
        {(value) =>
          value.rows.length === 0 ? (
            <p class="soft">{kind.none}</p>
          ) : (
            <div class="scroll" {...steady.around}>
              {steady.pending > 0 && (
                <button type="button" class="changes" onClick={steady.show}>
                  {words.value.rows.changed(steady.pending)}
                </button>
              )}
              <table class="records">
                <thead>
                  <tr>
                    {columns.map((field) => (
                      <Heading key={field.name} field={field} isSecondary={resource.secondary.includes(field.name)} />
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {steady.rows.map((row) => (
                    <tr key={row.id} data-row="" tabIndex={0} onClick={openRow}>
                      {columns.map((field, index) => (
                        <td key={field.name} class={resource.secondary.includes(field.name) ? 'secondary' : undefined}>
                          {index === 0 ? (
                            <a href={hrefOf(`/manage/${resource.plural}/${row.id}`)} data-open="">
                              <bdi>
                                {field.type === 'reference' || row[field.name] === null
                                  ? titleIn(resource.name, row)
                                  : String(row[field.name])}
                              </bdi>
                            </a>
                          ) : (
                            <Value field={field} value={row[field.name]} />
                          )}
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
              <Pages of={value} />
            </div>
          )
        }
      </Answered>
    </>
  );
}

/** A click anywhere in a row opens its record, unless it is on a link, or selects text. */
function openRow({ target, currentTarget }: TargetedMouseEvent<HTMLTableRowElement>): void {
  if (target instanceof Element && target.closest('a')) return;
  if (getSelection()?.isCollapsed === false) return;
  currentTarget.querySelector<HTMLElement>('[data-open]')?.click();
}

/** The values of parameters of the view. */
function chosenOf(names: readonly string[]): [name: string, value: string][] {
  return names.flatMap((name) => {
    const value = query.value.get(name);
    return value ? [[name, value] as [string, string]] : [];
  });
}

function Filter({ field: { name, label, lang, type, options = [] } }: { readonly field: FieldModel }) {
  const { yes, no } = words.value.records;
  const flags = [
    ['true', `${label}: ${yes}`, lang],
    ['false', `${label}: ${no}`, lang],
  ] as const;
  return <SelectFilter name={name} label={label} lang={lang} options={type === 'choice' ? options : flags} />;
}

/** The heading of a column; where lists can be sorted by it, it sorts them, and the other way round when it does already. */
function Heading({
  field: { name, label, lang, sort },
  isSecondary,
}: {
  readonly field: FieldModel;
  readonly isSecondary: boolean;
}) {
  const order = query.value.get('order') ?? '';
  const direction = order === name ? 'ascending' : order === `-${name}` ? 'descending' : undefined;
  return (
    <th scope="col" lang={lang} class={isSecondary ? 'secondary' : undefined} aria-sort={direction}>
      {sort ? (
        <button
          type="button"
          class="plain"
          onClick={() => setQuery({ order: order === name ? `-${name}` : name, after: null })}
        >
          {label}
          {direction && (direction === 'ascending' ? ' ↑' : ' ↓')}
        </button>
      ) : (
        label
      )}
    </th>
  );
}
