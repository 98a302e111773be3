import { type Option, useModel } from '../data/model.ts';
import { words } from '../words/words.ts';
import { type InputProps, inputAttributes } from './input-props.ts';
import { durationText, mask } from './values.ts';

/** One line of text, a number or a duration; several lines where the format says so. */
export function TextInput(props: InputProps) {
  const { field, value, onChange } = props;
  const attributes = inputAttributes(props);
  const { type, format, nullable = false, secret = false, accepts_text = false } = field;
  const isNumber = (type === 'integer' || type === 'number') && !accepts_text;
  const text = format === 'duration' ? durationText(value) : value === null || value === undefined ? '' : String(value);
  const set = (typed: string) => {
    if (typed === '' && (nullable || type !== 'text')) return onChange(null);
    // What is no number yet is sent as it is: the service says what is wrong with it.
    const number = Number(typed);
    onChange(
      (type === 'integer' || type === 'number') && typed.trim() !== '' && !Number.isNaN(number) ? number : typed,
    );
  };
  if (secret || value === mask) return <SecretInput {...props} />;
  if (format === 'lines')
    return <textarea {...attributes} rows={4} value={text} onInput={({ currentTarget }) => set(currentTarget.value)} />;
  return (
    <>
      <input
        {...attributes}
        type="text"
        autocomplete="off"
        inputMode={isNumber ? 'numeric' : undefined}
        class={isNumber || format === 'duration' ? 'short' : undefined}
        spellcheck={false}
        list={format === 'timezone' ? 'time-zones' : undefined}
        value={text}
        // A duration is written again once it is complete, not while it is typed.
        onInput={({ currentTarget }) => format !== 'duration' && set(currentTarget.value)}
        onChange={({ currentTarget }) => format === 'duration' && set(currentTarget.value)}
      />
      {format === 'timezone' && (
        <datalist id="time-zones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** A value that is written and never read: what is stored stays while nothing is typed. */
function SecretInput(props: InputProps) {
  const { value, onChange } = props;
  const text = words.value.form;
  return (
    <input
      {...inputAttributes(props)}
      type="password"
      autocomplete="new-password"
      placeholder={value === mask ? text.secretKept : ''}
      value={value === mask || value === null || value === undefined ? '' : String(value)}
      onInput={({ currentTarget }) => onChange(currentTarget.value === '' ? mask : currentTarget.value)}
    />
  );
}

export function FlagInput(props: InputProps) {
  const { value, onChange } = props;
  return (
    <input
      {...inputAttributes(props)}
      type="checkbox"
      checked={value === true}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}

export function ChoiceInput(props: InputProps & { readonly options: readonly Option[] }) {
  const { field, value, options, onChange } = props;
  const isOther = typeof value === 'string' && value !== '' && !options.some(([known]) => known === value);
  const shown: readonly Option[] = isOther ? [...options, [value, value]] : options;
  return (
    <select
      {...inputAttributes(props)}
      value={typeof value === 'string' ? value : ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : currentTarget.value)}
    >
      {(field.nullable || field.default === undefined) && <option value="">–</option>}
      {shown.map(([name, text, lang]) => (
        <option key={name} value={name} lang={lang}>
          {text}
        </option>
      ))}
    </select>
  );
}

export function ExtensionInput(props: InputProps) {
  const model = useModel();
  const { names } = props.field;
  return (
    <ChoiceInput {...props} options={names && model ? model[names].map(({ name }) => [name, name] as const) : []} />
  );
}

/** A time in the zone of the reader. */
export function InstantInput(props: InputProps) {
  const { value, onChange } = props;
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  const local = Number.isNaN(at)
    ? ''
    : new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  return (
    <input
      {...inputAttributes(props)}
      type="datetime-local"
      step="1"
      value={local}
      onChange={({ currentTarget }) => {
        const typed = new Date(currentTarget.value);
        onChange(currentTarget.value === '' || Number.isNaN(typed.getTime()) ? null : typed.toISOString());
      }}
    />
  );
}

/** Structured values without fields of their own, as JSON. */
export function JsonInput(props: InputProps) {
  const { value, onChange } = props;
  const text =
    typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value, null, 2);
  return (
    <textarea
      {...inputAttributes(props)}
      class="code"
      rows={Math.min(12, Math.max(2, text.split('\n').length))}
      spellcheck={false}
      value={text}
      onChange={({ currentTarget }) => onChange(parsed(currentTarget.value))}
    />
  );
}

/** What is no JSON is sent as text: the service says what is wrong with it. */
function parsed(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
