import { useLive } from '../data/answer.ts';
import { type FieldModel, useModel, type ValueModel } from '../data/model.ts';
import type { FieldProblem } from '../data/problem.ts';
import { Clause } from '../parts/clause.tsx';
import { serviceLanguage, words } from '../words/words.ts';
import type { InputProps } from './input-props.ts';
import { ReferenceInput, ReferencesInput } from './reference-input.tsx';
import { ChoiceInput, ExtensionInput, FlagInput, InstantInput, JsonInput, TextInput } from './simple-inputs.tsx';
import { problemsOf, type Values } from './values.ts';

interface FieldRowProps {
  readonly field: FieldModel;
  /** Where the field is in the record: `executor_options.shell`. */
  readonly path: string;
  /** The fields beside it. */
  readonly siblings: readonly FieldModel[];
  /** The values beside it, by which other fields decide what it has. */
  readonly values: Values;
  readonly errors: readonly FieldProblem[];
  readonly set: (name: string, value: unknown) => void;
}

/** The id of the input of a field, or of what holds its inputs. @param path where it is in the record. */
export const idOfField = (path: string) => `field-${path.replaceAll(/[^\w-]/g, '-')}`;

/** One field of a form: its label, what it is for, its input, and what is wrong with it. */
export function FieldRow({ field, path, siblings, values, errors, set }: FieldRowProps) {
  const { name, label, lang, description, required = false, meanings } = field;
  const id = idOfField(path);
  const problems = problemsOf(errors, path);
  const value = values[name];
  const meaning = typeof value === 'string' ? meanings?.[value] : undefined;
  return (
    <div class={problems.length > 0 ? 'form-field invalid' : 'form-field'}>
      <label for={id}>
        <span lang={lang}>{label}</span>
        {required && <span class="required"> {words.value.form.required}</span>}
      </label>
      <div>
        <FieldInput
          id={id}
          field={field}
          path={path}
          value={value}
          siblings={siblings}
          values={values}
          errors={errors}
          describedBy={`${id}-help`}
          onChange={(next) => set(name, next)}
        />
        <div id={`${id}-help`}>
          {problems.map(({ field: place, message }) => (
            <p key={`${place} ${message}`} class="mistake">
              {place === path ? '' : `${place.slice(path.length).replace(/^\./, '')}: `}
              <Clause of={message} />
            </p>
          ))}
          {meaning !== undefined && (
            <p class="soft" lang={serviceLanguage.value}>
              {meaning}
            </p>
          )}
          {description !== undefined && (
            <p class="help" lang={serviceLanguage.value}>
              {description}
            </p>
          )}
        </div>
      </div>
    </div>
  );
}

/** The input of a field, as its type and format ask for it. */
function FieldInput(props: InputProps) {
  const { field } = props;
  if (field.members && field.type === 'json') return <MembersInput {...props} />;
  switch (field.type) {
    case 'flag':
      return <FlagInput {...props} />;
    case 'choice':
      return <ChoiceInput {...props} options={field.options ?? []} />;
    case 'reference':
      return <ReferenceInput {...props} />;
    case 'references':
      return <ReferencesInput {...props} />;
    case 'instant':
      return <InstantInput {...props} />;
    case 'list':
    case 'texts':
      return <ListInput {...props} />;
    case 'map':
      return <MapInput {...props} />;
    case 'object':
    case 'json':
      return <JsonInput {...props} />;
    default:
      return field.names ? <ExtensionInput {...props} /> : <TextInput {...props} />;
  }
}

const asValues = (value: unknown): Values =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Values) : {};

/** A list: its members one below the other, each with what it has. */
function ListInput(props: InputProps) {
  const { id, field, path, value, onChange } = props;
  const text = words.value.form;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const item: ValueModel = field.item ?? { type: 'text' };
  const isObject = item.type === 'object';
  const set = (index: number, next: unknown) => onChange(items.with(index, next));
  return (
    <fieldset class="list" id={id} aria-describedby={props.describedBy}>
      <legend class="hidden" lang={field.lang}>
        {field.label}
      </legend>
      {items.map((each, index) => {
        const place = `${path}[${index}]`;
        const label = text.item(field.label, index + 1);
        return (
          <div key={index} class="item">
            {isObject ? (
              <Members {...props} path={place} value={each} item={item} onChange={(next) => set(index, next)} />
            ) : (
              <FieldInput
                {...props}
                id={`${id}-${index}`}
                path={place}
                field={{ ...item, name: label, label, nullable: false }}
                value={each}
                onChange={(next) => set(index, next ?? '')}
              />
            )}
            <button
              type="button"
              class="plain"
              aria-label={text.remove(label)}
              onClick={() => onChange(items.toSpliced(index, 1))}
            >
              ×
            </button>
          </div>
        );
      })}
      <button type="button" onClick={() => onChange([...items, isObject ? {} : ''])}>
        {text.add}
      </button>
    </fieldset>
  );
}

/** The members of an object in a list: its own fields, and the options of the extension that one of them names. */
function Members(props: InputProps & { readonly item: ValueModel }) {
  const { field, path, value, item, errors, onChange } = props;
  const model = useModel();
  const values = asValues(value);
  const { by, options } = field.members ?? {};
  const extension = options && by ? model?.[options].find(({ name }) => name === values[by]) : undefined;
  const own = (item.fields ?? []).map((each) => (each.name === by && options ? { ...each, names: options } : each));
  const all = [...own, ...(extension?.fields ?? [])];
  return (
    <div>
      {all.map((each) => (
        <FieldRow
          key={each.name}
          field={each}
          siblings={all}
          path={`${path}.${each.name}`}
          values={values}
          errors={errors}
          set={(name, next) => onChange(withMember(values, name, next))}
        />
      ))}
    </div>
  );
}

/** The options of the extension that another field names; as JSON where that one is not known here. */
function MembersInput(props: InputProps) {
  const { id, field, path, value, values, errors, onChange } = props;
  const model = useModel();
  const { by, options } = field.members ?? {};
  const extension = options && by ? model?.[options].find(({ name }) => name === values[by]) : undefined;
  if (!extension) return <JsonInput {...props} />;
  const own = asValues(value);
  if (extension.fields.length === 0) return <p class="soft">{words.value.form.noOptions}</p>;
  return (
    <fieldset class="list" id={id} aria-describedby={props.describedBy}>
      <legend class="hidden" lang={field.lang}>
        {field.label}
      </legend>
      {extension.fields.map((each) => (
        <FieldRow
          key={each.name}
          field={each}
          siblings={extension.fields}
          path={`${path}.${each.name}`}
          values={own}
          errors={errors}
          set={(name, next) => onChange(withMember(own, name, next))}
        />
      ))}
    </fieldset>
  );
}

/** What a record declares under a key: a variable of an App, or a field of a credential type. */
interface Declared {
  readonly type?: string;
  readonly description?: string | null;
  readonly name?: string | null;
  readonly hint?: string | null;
  readonly required?: boolean;
  readonly default?: unknown;
}

interface KeyedDeclaration extends Declared {
  readonly keyword: string;
}

const secretTypes = new Set(['password', 'secret']);

/** Names with values. Those that a record declares are listed with what they are for; others can be added. */
function MapInput(props: InputProps) {
  const { id, field, path, value, onChange } = props;
  const text = words.value.form;
  const map = asValues(value);
  const declared = useDeclared(props);
  const keys = [...new Set([...Object.keys(declared), ...Object.keys(map)])];
  const item: ValueModel = field.value ?? { type: 'json' };
  return (
    <fieldset class="list" id={id} aria-describedby={props.describedBy}>
      <legend class="hidden" lang={field.lang}>
        {field.label}
      </legend>
      {keys.map((key) => {
        const { type = '', description, name, hint } = declared[key] ?? {};
        const isSecret = secretTypes.has(type);
        const place = `${path}.${key}`;
        return (
          <div key={key} class="item">
            <label for={`${id}-${key}`}>
              <code>{key}</code>
              {(name ?? description ?? hint) && <small>{name ?? description ?? hint}</small>}
            </label>
            <FieldInput
              {...props}
              id={`${id}-${key}`}
              path={place}
              field={{
                ...item,
                type: item.type === 'scalar' ? 'text' : item.type,
                name: key,
                label: key,
                secret: isSecret,
              }}
              value={map[key]}
              onChange={(next) => onChange(withMember(map, key, next))}
            />
            {Object.hasOwn(map, key) && (
              <button
                type="button"
                class="plain"
                aria-label={text.remove(key)}
                onClick={() => onChange(withMember(map, key, undefined))}
              >
                ×
              </button>
            )}
          </div>
        );
      })}
      <input
        class="add"
        type="text"
        aria-label={text.addKey(field.label)}
        placeholder={text.addKey(field.label)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          event.currentTarget.blur();
        }}
        onChange={({ currentTarget }) => {
          const key = currentTarget.value.trim();
          currentTarget.value = '';
          if (key !== '')
            onChange({ ...map, [key]: map[key] ?? (item.type === 'object' || item.type === 'json' ? {} : '') });
        }}
      />
    </fieldset>
  );
}

/** What the record that another field refers to declares, by key. */
function useDeclared({ field: { members }, siblings, values }: InputProps): Readonly<Record<string, Declared>> {
  const model = useModel();
  const { by, declared } = members ?? {};
  const kind = siblings.find(({ name }) => name === by)?.reference;
  const resource = model?.resources.find(({ name }) => name === kind);
  const id = by === undefined ? undefined : values[by];
  const isAsked = resource && declared !== undefined && typeof id === 'number';
  const { value } = useLive<Values>(isAsked ? `/${resource.singular}/${id}.json` : null, { kinds: [kind ?? ''] });
  const found = declared === undefined ? undefined : value?.[declared];
  if (!Array.isArray(found)) return asValues(found) as Readonly<Record<string, Declared>>;
  return Object.fromEntries((found as readonly KeyedDeclaration[]).map((each) => [each.keyword, each]));
}

function withMember(values: Values, name: string, value: unknown): Values {
  const { [name]: _former, ...rest } = values;
  return value === undefined || value === null ? rest : { ...rest, [name]: value };
}
