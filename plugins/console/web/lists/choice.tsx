import { query, setQuery } from '../app/router.ts';
import type { Option } from '../data/model.ts';

interface ChoiceProps {
  /** The parameter of the query that the choice is stored in, so that a view with it has a URL. */
  readonly name: string;
  readonly label: string;
  /** The first one is chosen where the query says nothing. */
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** One of a few values of a filter, all of them seen. */
export function Choice({ name, label, options }: ChoiceProps) {
  const chosen = query.value.get(name) ?? options[0]?.[0];
  return (
    <fieldset class="choice">
      <legend class="hidden">{label}</legend>
      {options.map(([value, text], index) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            checked={value === chosen}
            onChange={() => setQuery({ [name]: index === 0 ? null : value, after: null })}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

interface FilterProps {
  readonly name: string;
  readonly label: string;
  /** The language of the label, where it is another one than that of the pages. */
  readonly lang?: string | undefined;
}

/** A filter whose text is typed. */
export function TextFilter({ name, label }: FilterProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={query.value.get(name) ?? ''}
      onInput={({ currentTarget }) => setQuery({ [name]: currentTarget.value, after: null })}
    />
  );
}

/** A filter with many values, of which one is chosen or none. */
export function SelectFilter({ name, label, lang, options }: FilterProps & { readonly options: readonly Option[] }) {
  return (
    <select
      aria-label={label}
      lang={lang}
      value={query.value.get(name) ?? ''}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value, after: null })}
    >
      <option value="">{label}</option>
      {options.map(([value, text, ownLang]) => (
        <option key={value} value={value} lang={ownLang}>
          {text}
        </option>
      ))}
    </select>
  );
}
