import { type RequestedJob, type Runnable, runAgain, runNow } from '../acts/run-acts.ts';
import { Problem } from '../data/problem.ts';
import { read } from '../data/request.ts';
import { ask } from '../parts/ask.tsx';
import { Clause } from '../parts/clause.tsx';
import { words } from '../words/words.ts';

interface Variable {
  readonly type?: string;
  readonly description?: string | null;
  readonly hint?: string | null;
  readonly default?: string | number | boolean | null;
  readonly options?: unknown;
}

interface RunWithValues {
  /** What is run again; undefined = the template is run, beside its windows. */
  readonly of?: Runnable;
  readonly name: string;
  readonly templateId: number;
  readonly appId: number;
  /** Whether the view of the run is opened. @default false */
  readonly opens?: boolean;
}

type Texts = Readonly<Record<string, string>>;

/** Asks for values of environment variables and runs with them. Mistakes stand beside the values, which stay. */
export async function runWithValues(asked: RunWithValues): Promise<RequestedJob | null> {
  const { of, name, templateId, appId, opens = false } = asked;
  const text = words.value.runs;
  const [{ environment: own }, app] = await Promise.all([
    read<{ readonly environment: Texts }>(`/runtemplate/${templateId}.json`),
    // Not everyone who may run a template sees its App.
    read<{ readonly environment: Readonly<Record<string, Variable>> }>(`/app/${appId}.json`).catch(() => null),
  ]);
  const variables = { ...Object.fromEntries(Object.keys(own).map((key) => [key, {}])), ...app?.environment };
  let values: Texts = {};
  let mistakes: Texts = {};
  for (;;) {
    const form = await ask({
      title: of ? text.withValuesTitle(name) : text.firstValuesTitle(name),
      confirm: of ? text.runAgain : text.runNow,
      content: (
        <>
          {of && 'task_id' in of && <p>{text.nextAttempt}</p>}
          <Fields variables={variables} own={own} values={values} mistakes={mistakes} isPartial={app === null} />
        </>
      ),
    });
    if (form === null) return null;
    values = valuesOf(form);
    try {
      const options = { environment: values, opens };
      return await (of ? runAgain(of, name, options) : runNow(templateId, name, options));
    } catch (error) {
      if (!(error instanceof Problem) || error.errors.length === 0) throw error;
      mistakes = Object.fromEntries(error.errors.map(({ field, message }) => [field, message]));
    }
  }
}

interface FieldsProps {
  readonly variables: Readonly<Record<string, Variable>>;
  readonly own: Texts;
  readonly values: Texts;
  readonly mistakes: Texts;
  /** Whether there may be further variables. */
  readonly isPartial: boolean;
}

/** The name of the field that takes further values; no variable has it. */
const further = '=';

function valuesOf(form: FormData): Texts {
  const lines = String(form.get(further) ?? '').split('\n');
  const others = lines.flatMap((line) => {
    const [, name, value] = /^\s*(\w+)=(.*?)\r?$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value ?? ''] as const];
  });
  const typed = [...form].filter(([name, value]) => name !== further && value !== '');
  return Object.fromEntries([...typed.map(([name, value]) => [name, String(value)] as const), ...others]);
}

function Fields({ variables, own, values, mistakes, isPartial }: FieldsProps) {
  const text = words.value.runs;
  const names = Object.keys(variables);
  const others = Object.entries(mistakes).filter(([field]) => !names.includes(field.replace(/^environment\./, '')));
  return (
    <>
      <p>{names.length === 0 && !isPartial ? text.noVariables : text.withValues}</p>
      {others.map(([field, message]) => (
        <p key={field} class="mistake" role="alert">
          <Clause of={message} />
        </p>
      ))}
      {names.map((key) => {
        const mistake = mistakes[`environment.${key}`];
        const { description, hint } = variables[key] as Variable;
        const help = mistake === undefined ? (description ?? hint) : <Clause of={mistake} />;
        return (
          <div key={key} class="field">
            <label for={`value-${key}`}>
              <code>{key}</code>
            </label>
            <Field name={key} variable={variables[key] as Variable} present={own[key]} value={values[key] ?? ''} />
            {help && <small class={mistake === undefined ? 'soft' : 'mistake'}>{help}</small>}
          </div>
        );
      })}
      {isPartial && (
        <label>
          {text.furtherValues}
          <textarea
            name={further}
            rows={2}
            defaultValue={Object.entries(values)
              .filter(([name]) => !names.includes(name))
              .map((entry) => entry.join('='))
              .join('\n')}
          />
        </label>
      )}
    </>
  );
}

interface FieldProps {
  readonly name: string;
  readonly variable: Variable;
  /** The value of the template. */
  readonly present: string | undefined;
  readonly value: string;
}

function Field({ name, variable, present, value }: FieldProps) {
  const { type = 'string', options } = variable;
  const usual =
    present ?? (variable.default === null || variable.default === undefined ? '' : String(variable.default));
  const choices = type === 'bool' ? ['true', 'false'] : choicesOf(options);
  if (choices.length > 0)
    return (
      <select id={`value-${name}`} name={name} defaultValue={value}>
        <option value="">{usual}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  const common = { id: `value-${name}`, name, defaultValue: value, placeholder: usual };
  return type === 'password' || type === 'secret' ? (
    <input {...common} type="password" autoComplete="new-password" />
  ) : (
    <input {...common} type="text" autoComplete="off" inputMode={type === 'integer' ? 'numeric' : undefined} />
  );
}

function choicesOf(options: unknown): readonly string[] {
  if (Array.isArray(options)) return options.map(String);
  return typeof options === 'object' && options !== null ? Object.keys(options) : [];
}
