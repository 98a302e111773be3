import { type FieldModel, wordsOfKind } from '../data/model.ts';
import { isKind } from '../data/records.ts';
import { durationText } from '../form/values.ts';
import { Name } from '../parts/name.tsx';
import { CommandLine } from '../parts/text/command-line.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';

/** The value of a field as a list or a page of the record shows it. */
export function Value({ field, value }: { readonly field: FieldModel; readonly value: unknown }) {
  const text = words.value.records;
  if (value === null || value === undefined || value === '') return <span class="soft">–</span>;
  const { type, reference, format, options } = field;
  if (type === 'instant') return <When at={String(value)} as="moment" />;
  if (type === 'flag') return value === true ? text.yes : text.no;
  if (type === 'reference' && typeof value === 'number')
    return reference !== undefined && isKind(reference) ? (
      <Name of={reference} id={value} link />
    ) : (
      `${wordsOfKind(reference ?? '').name} ${value}`
    );
  if (type === 'references' && Array.isArray(value))
    return (value as readonly number[]).map((id, index) => (
      <span key={id}>
        {index > 0 && ', '}
        {reference !== undefined && isKind(reference) ? <Name of={reference} id={id} link /> : id}
      </span>
    ));
  if (format === 'duration') return durationText(value);
  const option = options?.find(([choice]) => choice === value);
  if (option) return <span lang={option[2]}>{option[1]}</span>;
  // A list that one line of text can be, too, is shown as that.
  if (type === 'texts' && field.accepts_text && Array.isArray(value) && value.length > 0)
    return <CommandLine words={value as readonly string[]} />;
  if (typeof value === 'object') {
    if (Object.keys(value).length === 0) return <span class="soft">–</span>;
    return <pre class="value">{JSON.stringify(value, null, 2)}</pre>;
  }
  return <bdi>{String(value)}</bdi>;
}
