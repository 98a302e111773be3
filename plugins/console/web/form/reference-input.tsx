import { useLivePage } from '../data/answer.ts';
import { useModel } from '../data/model.ts';
import { type AnyRecord, titleOf } from '../data/records.ts';
import { words } from '../words/words.ts';
import { type InputProps, inputAttributes } from './input-props.ts';

const maxListed = 1000;

/** The records that a field may refer to: those of the company of the record, where they have one. */
function useChoices({ field, values }: InputProps): readonly AnyRecord[] | null {
  const model = useModel();
  const resource = model?.resources.find(({ name }) => name === field.reference);
  const company = values['company_id'];
  const isOfCompany = resource?.company === 'company_id' && typeof company === 'number';
  const query = isOfCompany ? `&company_id=${company}` : '';
  const order = resource?.fields.some(({ name, sort }) => name === 'name' && sort) ? '&order=name' : '';
  const page = useLivePage<AnyRecord>(resource ? `/${resource.plural}.json?limit=${maxListed}${order}${query}` : null, {
    kinds: [field.reference ?? ''],
  });
  return page.value?.rows ?? null;
}

/** A record that is chosen by its name. */
export function ReferenceInput(props: InputProps) {
  const { field, value, onChange } = props;
  const choices = useChoices(props);
  const isKnown = choices?.some(({ id }) => id === value) ?? false;
  return (
    <select
      {...inputAttributes(props)}
      value={typeof value === 'number' ? String(value) : ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : Number(currentTarget.value))}
    >
      <option value="">{field.nullable ? '–' : words.value.form.choose}</option>
      {typeof value === 'number' && !isKnown && <option value={String(value)}>{`${field.reference} ${value}`}</option>}
      {(choices ?? []).map((record) => (
        <option key={record.id} value={String(record.id)}>
          {titleOf(record)}
        </option>
      ))}
    </select>
  );
}

/** Several records, each of which can be taken out. */
export function ReferencesInput(props: InputProps) {
  const { id, field, value, onChange } = props;
  const text = words.value.form;
  const choices = useChoices(props) ?? [];
  const chosen: readonly number[] = Array.isArray(value) ? (value as number[]) : [];
  const nameOf = (each: number) => {
    const record = choices.find((choice) => choice.id === each);
    return record ? titleOf(record) : `${field.reference} ${each}`;
  };
  const rest = choices.filter((choice) => !chosen.includes(choice.id));
  return (
    <div class="references">
      {chosen.map((each) => (
        <span key={each} class="chip">
          {nameOf(each)}
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
      <select
        {...inputAttributes(props)}
        id={id}
        value=""
        onChange={({ currentTarget }) =>
          currentTarget.value !== '' && onChange([...chosen, Number(currentTarget.value)])
        }
      >
        <option value="">{text.add}</option>
        {rest.map((record) => (
          <option key={record.id} value={String(record.id)}>
            {titleOf(record)}
          </option>
        ))}
      </select>
    </div>
  );
}
