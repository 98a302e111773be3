import { useSignal } from '@preact/signals';
import { query, setQuery } from '../../app/router.ts';
import { useLivePage } from '../../data/answer.ts';
import { recordOf, titleOf } from '../../data/records.ts';
import { Choice, SelectFilter } from '../../lists/choice.tsx';
import { words } from '../../words/words.ts';
import type { TemplateRecord } from '../run-records.ts';

const day = 24 * 60 * 60 * 1000;

/** The states that a list can be narrowed to; several stand for all that was not as it was owed. */
const runStates = [
  'failed,missed,fulfilled_late',
  'running',
  'open',
  'fulfilled',
  'fulfilled_late',
  'failed',
  'missed',
  'cancelled',
];
const attemptStates = ['running', 'scheduled', 'succeeded', 'failed', 'timed_out', 'lost', 'cancelled', 'skipped'];

interface FiltersProps {
  readonly of: 'runs' | 'jobs';
}

/** What the lists of runs are narrowed to: state, template and, where the API knows it, the period. */
export function Filters({ of }: FiltersProps) {
  const text = words.value.runs;
  const period = query.value.get('period') ?? '';
  return (
    <div class="filters">
      <SelectFilter
        name="state"
        label={text.anyState}
        options={(of === 'runs' ? runStates : attemptStates).map((state) => [state, stateText(state)])}
      />
      <TemplateFilter />
      {of === 'runs' && <Choice name="period" label={text.period} options={Object.entries(text.periods)} />}
      {of === 'runs' && period === 'range' && (
        <>
          <DateFilter name="from" label={text.from} />
          <DateFilter name="to" label={text.to} />
        </>
      )}
    </div>
  );
}

function stateText(state: string): string {
  const { runs, states } = words.value;
  return state.includes(',') ? runs.unmet : (states[state] ?? state);
}

function DateFilter({ name, label }: { readonly name: string; readonly label: string }) {
  return (
    <input
      type="date"
      aria-label={label}
      title={label}
      value={query.value.get(name) ?? ''}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
    />
  );
}

/** A field that suggests the names of templates, which are read once it has the focus. */
function TemplateFilter() {
  const text = words.value.runs;
  const isUsed = useSignal(false);
  const chosen = Number(query.value.get('runtemplate_id')) || null;
  const { value: page } = useLivePage<TemplateRecord>(isUsed.value ? '/runtemplates.json?limit=1000' : null, {
    kinds: ['RunTemplate'],
  });
  const templates = (page?.rows ?? []).toSorted((one, other) => one.name.localeCompare(other.name));
  const record = chosen === null ? null : recordOf('RunTemplate', chosen);
  const choose = (name: string) => {
    const found = templates.find((template) => nameIn(template, templates) === name);
    if (found || name === '') setQuery({ runtemplate_id: found ? String(found.id) : null });
  };
  return (
    <>
      <input
        key={chosen ?? 0}
        type="search"
        list="template-names"
        aria-label={text.template}
        placeholder={text.template}
        defaultValue={record ? titleOf(record) : ''}
        onFocus={() => {
          isUsed.value = true;
        }}
        onInput={({ currentTarget }) => choose(currentTarget.value)}
      />
      <datalist id="template-names">
        {templates.map((template) => (
          <option key={template.id} value={nameIn(template, templates)} />
        ))}
      </datalist>
    </>
  );
}

/** The name of a template, with its company where another one has the same name. */
function nameIn(template: TemplateRecord, all: readonly TemplateRecord[]): string {
  const isUnique = all.every(({ id, name }) => id === template.id || name !== template.name);
  const company = isUnique ? null : recordOf('Company', Number(template['company_id']));
  return company ? `${template.name} – ${titleOf(company)}` : template.name;
}

/** Returns the query of the API for the filters of the view. @param now is rounded, so that the list is not read again each second. */
export function filterQuery(of: 'runs' | 'jobs', now: number): string {
  const view = query.value;
  const filters = new URLSearchParams({ limit: '50' });
  for (const name of ['state', 'runtemplate_id']) {
    const value = view.get(name);
    if (value !== null) filters.set(name, value);
  }
  const company = view.get('company');
  if (company !== null) filters.set('company_id', company);
  if (of === 'jobs') {
    filters.set('task_id', 'none');
    return String(filters);
  }
  // An index has the Tasks of a state by their ids.
  if (!view.has('state')) filters.set('order', '-window_start');
  for (const [name, at] of Object.entries(boundsOf(view, now))) filters.set(name, new Date(at).toISOString());
  return String(filters);
}

/** Returns the ends of the chosen period, whose days are those of the reader. */
function boundsOf(view: URLSearchParams, now: number): Readonly<Partial<Record<'from' | 'to', number>>> {
  const today = new Date(now).setHours(0, 0, 0, 0);
  const before = (days: number) => new Date(today - (days - 0.5) * day).setHours(0, 0, 0, 0);
  switch (view.get('period')) {
    case 'today':
      return { from: today };
    case 'yesterday':
      return { from: before(1), to: today - 1 };
    case 'week':
      return { from: before(6) };
    case 'range': {
      const [from, to] = [view.get('from'), view.get('to')].map((date) => Date.parse(`${date}T00:00`));
      return {
        ...(Number.isNaN(from) ? {} : { from: from as number }),
        ...(Number.isNaN(to) ? {} : { to: new Date((to as number) + 1.5 * day).setHours(0, 0, 0, 0) - 1 }),
      };
    }
    default:
      return {};
  }
}

/** Says in words what the list is narrowed to. */
export function filterWords(): readonly string[] {
  const { runs } = words.value;
  const view = query.value;
  const state = view.get('state');
  const period = view.get('period') ?? '';
  const template = Number(view.get('runtemplate_id')) || null;
  const record = template === null ? null : recordOf('RunTemplate', template);
  return [
    ...(state === null ? [] : [stateText(state)]),
    ...(record ? [titleOf(record)] : []),
    ...(period === '' || period === 'range' ? [] : [runs.periods[period as keyof typeof runs.periods] ?? '']),
  ].filter((each) => each !== '');
}
