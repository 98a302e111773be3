import { query } from '../../app/router.ts';
import { recordOf, titleOf } from '../../data/records.ts';
import { SelectFilter } from '../../lists/choice.tsx';
import { PeriodFilter } from '../../lists/period.tsx';
import { RecordFilter } from '../../lists/record-filter.tsx';
import { words } from '../../words/words.ts';

/** The states that a list can be narrowed to; several stand for all that was not as it was owed. */
const states = {
  runs: [
    'failed,missed,fulfilled_late',
    'running',
    'open',
    'fulfilled',
    'fulfilled_late',
    'failed',
    'missed',
    'cancelled',
  ],
  jobs: ['running', 'scheduled', 'succeeded', 'failed', 'timed_out', 'lost', 'cancelled', 'skipped'],
} as const;

/** What the lists of runs are narrowed to: state, template and, where the API knows it, the period. */
export function Filters({ of }: { readonly of: 'runs' | 'jobs' }) {
  const text = words.value.runs;
  return (
    <div class="filters">
      <SelectFilter
        name="state"
        label={text.anyState}
        options={states[of].map((state) => [state, stateText(state)] as const)}
      />
      <RecordFilter name="runtemplate_id" label={text.template} of="RunTemplate" />
      {of === 'runs' && <PeriodFilter />}
    </div>
  );
}

function stateText(state: string): string {
  const { runs, states } = words.value;
  return state.includes(',') ? runs.unmet : (states[state] ?? state);
}

/** Says in words what the list is narrowed to. */
export function filterWords(): readonly string[] {
  const { periods } = words.value.lists;
  const state = query.value.get('state');
  const period = query.value.get('period') ?? '';
  const template = Number(query.value.get('runtemplate_id')) || null;
  const record = template === null ? null : recordOf('RunTemplate', template);
  const periodText = period === 'range' ? undefined : periods[period as keyof typeof periods];
  return [
    ...(state === null ? [] : [stateText(state)]),
    ...(record ? [titleOf(record)] : []),
    ...(periodText === undefined ? [] : [periodText.toLocaleLowerCase()]),
  ];
}
