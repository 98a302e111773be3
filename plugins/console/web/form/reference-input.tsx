import { useLivePage } from '../data/answer.ts';
import { type ResourceModel, useModel } from '../data/model.ts';
import { type AnyRecord, titleOf } from '../data/records.ts';
import { RecordChoice } from '../lists/record-choice.tsx';
import { titleAt } from '../parts/text/title.ts';
import { words } from '../words/words.ts';
import { type InputProps, inputAttributes } from './input-props.ts';

/** Up to how many records all of them are listed; of more, one finds the record by its name. */
const maxListed = 50;

interface Choices {
  readonly resource: ResourceModel | undefined;
  /** What narrows the records, as the query of their list has it. */
  readonly filters: URLSearchParams;
  /** All records; null = there are too many to list; undefined = that is not known yet. */
  readonly all: readonly AnyRecord[] | null | undefined;
}

/** The records that a field may refer to: those of the company of the record, where they have one. */
function useChoices({ field, values }: InputProps): Choices {
  const model = useModel();
  const resource = model?.resources.find(({ name }) => name === field.reference);
  const company = values['company_id'];
  const isOfCompany = resource?.company === 'company_id' && typeof company === 'number';
  const filters = new URLSearchParams(isOfCompany ? { company_id: String(company) } : {});
  const order = resource?.fields.some(({ name, sort }) => name === 'name' && sort) ? '&order=name' : '';
  const path = resource ? `/${resource.plural}.json?limit=${maxListed}${order}&${filters}` : null;
  const page = useLivePage<AnyRecord>(path, { kinds: [field.reference ?? ''] });
  const isWhole = page.value?.next === null || resource?.searched === false;
  return { resource, filters, all: page.value && !isWhole ? null : page.value?.rows };
}

/** A record that is chosen by its name. */
export function ReferenceInput(props: InputProps) {
  const { field, value, onChange } = props;
  const { resource, filters, all } = useChoices(props);
  const chosen = typeof value === 'number' ? value : null;
  if (resource && all === null)
    return (
      <RecordChoice
        input={{ ...inputAttributes(props), placeholder: field.nullable ? '–' : words.value.form.choose }}
        resource={resource}
        filters={filters}
        chosen={chosen}
        onChosen={onChange}
      />
    );
  const isKnown = all?.some(({ id }) => id === value) ?? false;
  return (
    <select
      {...inputAttributes(props)}
      // It has no focus that it would lose if the records were too many to list.
      disabled={all === undefined}
      value={chosen === null ? '' : String(chosen)}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : Number(currentTarget.value))}
    >
      <option value="">{field.nullable ? '–' : words.value.form.choose}</option>
      {chosen !== null && !isKnown && <option value={String(chosen)}>{titleAt(field.reference ?? '', chosen)}</option>}
      <Options of={all ?? []} />
    </select>
  );
}

/** Several records, each of which can be taken out. */
export function ReferencesInput(props: InputProps) {
  const { field, value, onChange } = props;
  const text = words.value.form;
  const { resource, filters, all } = useChoices(props);
  const chosen: readonly number[] = Array.isArray(value) ? (value as number[]) : [];
  const nameOf = (each: number) => {
    const record = all?.find((choice) => choice.id === each);
    return record ? titleOf(record) : titleAt(field.reference ?? '', each);
  };
  const add = (id: number | null) => id !== null && !chosen.includes(id) && onChange([...chosen, id]);
  return (
    <div class="references">
      {chosen.map((each) => (
        <span key={each} class="chip">
          <bdi>{nameOf(each)}</bdi>
          <button
            type="button"
            class="plain"
            aria-label={text.remove(nameOf(each))}
            onClick={() => onChange(chosen.filter((other) => other !== each))}
          >
            ×
          </button>
        </span>
      ))}
      {resource && all === null ? (
        <RecordChoice
          input={{ ...inputAttributes(props), placeholder: text.add }}
          resource={resource}
          filters={filters}
          chosen={null}
          onChosen={add}
        />
      ) : (
        <select
          {...inputAttributes(props)}
          disabled={all === undefined}
          value=""
          onChange={({ currentTarget }) => add(Number(currentTarget.value) || null)}
        >
          <option value="">{text.add}</option>
          <Options of={(all ?? []).filter(({ id }) => !chosen.includes(id))} />
        </select>
      )}
    </div>
  );
}

function Options({ of }: { readonly of: readonly AnyRecord[] }) {
  return of.map((record) => (
    <option key={record.id} value={String(record.id)}>
      {titleOf(record)}
    </option>
  ));
}
