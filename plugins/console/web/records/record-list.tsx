import { company, hrefOf, query, setQuery } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import { type FieldModel, mayWrite, type ResourceModel } from '../data/model.ts';
import type { AnyRecord } from '../data/records.ts';
import { titleOf } from '../data/records.ts';
import { SelectFilter } from '../lists/choice.tsx';
import { Pages } from '../lists/pages.tsx';
import { useSteady } from '../lists/steady.ts';
import { Answered } from '../parts/answered.tsx';
import { words } from '../words/words.ts';
import { Value } from './cells.tsx';

const pageSize = 50;

/** The records of one kind: filtered, sorted, a page at a time, with the fields that identify one. */
export function RecordList({ resource }: { readonly resource: ResourceModel }) {
  const text = words.value.records;
  const filters = resource.fields.filter(({ filter, type }) => filter && ['choice', 'flag'].includes(type));
  const parameters = new URLSearchParams({ limit: String(pageSize) });
  for (const name of ['after', 'order', ...filters.map((field) => field.name)]) {
    const value = query.value.get(name);
    if (value) parameters.set(name, value);
  }
  const hasCompany = resource.fields.some(({ name, filter }) => name === 'company_id' && filter);
  if (company.value !== null && hasCompany) parameters.set('company_id', String(company.value));
  const page = useLivePage<AnyRecord>(`/${resource.plural}.json?${parameters}`, { kinds: [resource.name] });
  const steady = useSteady(page.value?.rows ?? [], ({ id }) => id);
  const columns = resource.summary.flatMap((name) =>
    resource.fields.filter((field) => field.name === name && name !== 'id'),
  );
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf('/manage')}>{words.value.nav.manage}</a> ›
      </p>
      <h1>{text.title(resource.nouns, page.value?.total ?? '')}</h1>
      <p class="sub">{resource.description}</p>
      <div class="filters">
        {filters.map((field) => (
          <Filter key={field.name} field={field} />
        ))}
        <span class="spacer" />
        {mayWrite(resource, 'create', company.value) && resource.operations.includes('save') && (
          <a class="button" data-key="n" href={hrefOf(`/manage/${resource.plural}/new`)}>
            {text.add(resource.noun)}
          </a>
        )}
      </div>
      <Answered of={page}>
        {(value) =>
          value.rows.length === 0 ? (
            <p class="soft">{text.none(resource.nouns)}</p>
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
                    <tr key={row.id} data-row="" tabIndex={0}>
                      {columns.map((field, index) => (
                        <td key={field.name} class={resource.secondary.includes(field.name) ? 'secondary' : undefined}>
                          {index === 0 ? (
                            <a href={hrefOf(`/manage/${resource.plural}/${row.id}`)} data-open="">
                              {row[field.name] === null ? titleOf(row) : <bdi>{String(row[field.name])}</bdi>}
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

function Filter({ field: { name, label, type, choices = [] } }: { readonly field: FieldModel }) {
  const { yes, no } = words.value.records;
  if (type === 'choice')
    return <SelectFilter name={name} label={label} options={choices.map((each) => [each, each] as const)} />;
  const options = [
    ['true', `${label}: ${yes}`],
    ['false', `${label}: ${no}`],
  ] as const;
  return <SelectFilter name={name} label={label} options={options} />;
}

/** The heading of a column; where lists can be sorted by it, it sorts them, and the other way round when it does already. */
function Heading({
  field: { name, label, sort },
  isSecondary,
}: {
  readonly field: FieldModel;
  readonly isSecondary: boolean;
}) {
  const order = query.value.get('order') ?? '';
  const direction = order === name ? 'ascending' : order === `-${name}` ? 'descending' : undefined;
  return (
    <th scope="col" class={isSecondary ? 'secondary' : undefined} aria-sort={direction}>
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
