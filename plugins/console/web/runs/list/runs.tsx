import { askReason } from '../../acts/ask-reason.tsx';
import { runAgain, startJob, waive } from '../../acts/run-acts.ts';
import { hrefOf, query } from '../../app/router.ts';
import { useLivePage } from '../../data/answer.ts';
import { now } from '../../data/clock.ts';
import { mayIn } from '../../data/may.ts';
import { narrowedList } from '../../lists/narrowed.ts';
import { Pages } from '../../lists/pages.tsx';
import { type BulkAct, Pick, PickedBar, type PickedRows, usePicked } from '../../lists/picked.tsx';
import { Row, Rows } from '../../lists/rows.tsx';
import { useSteady } from '../../lists/steady.ts';
import { Act } from '../../parts/act.tsx';
import { Answered } from '../../parts/answered.tsx';
import { Clause } from '../../parts/clause.tsx';
import { Dot } from '../../parts/dot.tsx';
import { Name } from '../../parts/name.tsx';
import { titleAt } from '../../parts/text/title.ts';
import { dayText } from '../../parts/times.ts';
import { When } from '../../parts/when.tsx';
import { isolated } from '../../words/direction.ts';
import { words } from '../../words/words.ts';
import { isRunEnded, isUnmet, type RunRow, shownState } from '../run-records.ts';
import { shortWindowText } from '../window-text.ts';
import { Filters, filterWords } from './filters.tsx';
import { ListHead } from './list-head.tsx';

/** Finds runs: the newest first, each in a sentence. */
export function Runs() {
  const text = words.value.runs;
  // An index has the Tasks of a state by their ids.
  const more = query.value.has('state') ? {} : { order: '-window_start' };
  const { path } = narrowedList('tasks', ['state', 'runtemplate_id', 'after'], more);
  const page = useLivePage<RunRow>(path, { kinds: ['Task'] });
  const steady = useSteady(page.value?.rows ?? [], ({ id }) => id);
  const picked = usePicked(steady.rows.map(({ id }) => id));
  const picks = steady.rows.filter(({ id }) => picked.ids.has(id));
  return (
    <>
      <ListHead of="runs" title={page.value ? text.headline(page.value.total, filterWords()) : text.title} />
      <Filters of="runs" />
      <Answered of={page}>
        {(value) => (
          <>
            {value.rows.length === 0 && <p class="soft">{text.none}</p>}
            <div class="runs">
              <Rows of={steady} label={text.title}>
                {(row) => <RunRowView key={row.id} row={row} picked={picked} />}
              </Rows>
            </div>
            <Pages of={value} />
          </>
        )}
      </Answered>
      <PickedBar rows={picks} acts={bulkActs()} nameOf={runName} />
    </>
  );
}

function isToday(at: string): boolean {
  return dayText(Date.parse(at)) === dayText(now.value);
}

/** What people call a run: its template and its window. */
function runName({ runtemplate_id, window_start, window_end }: RunRow): string {
  const window = shortWindowText(Date.parse(window_start), Date.parse(window_end), now.value);
  return `${isolated(titleAt('RunTemplate', runtemplate_id))}, ${window}`;
}

function bulkActs(): readonly BulkAct<RunRow>[] {
  const text = words.value.runs;
  return [
    {
      text: text.runAgain,
      fits: (run) => isRunEnded(run) && mayIn(run.company_id, 'operator'),
      prepare: async () => async (run) => {
        await startJob({ task_id: run.id });
        return text.willRunAgain;
      },
    },
    {
      text: text.waive,
      fits: (run) => !isRunEnded(run) && mayIn(run.company_id, 'operator'),
      prepare: async (count) => {
        const reason = await askReason({
          title: text.waiveTitle(count),
          content: text.waiveWhat,
          confirm: text.waiveConfirm,
          required: true,
        });
        if (reason === null) return null;
        return async (run) => {
          await waive(run.id, reason);
          return text.waived;
        };
      },
    },
  ];
}

function RunRowView({ row, picked }: { readonly row: RunRow; readonly picked: PickedRows }) {
  const text = words.value.runs;
  const { id, runtemplate_id, company_id, window_start, window_end, attempts, reason, deadline } = row;
  const state = shownState(row, now.value);
  const name = runName(row);
  const mayRun = mayIn(company_id, 'operator');
  const href = hrefOf(`/runs/${id}`);
  const endedAt = row.fulfilled_at ?? row.ended_at;
  return (
    <Row
      lead={
        <>
          {mayRun && <Pick id={id} name={name} of={picked} />}
          <Dot state={state} named={false} />
        </>
      }
      title={<Name of="RunTemplate" id={runtemplate_id} />}
      href={href}
      under={
        <>
          <Name of="Company" id={company_id} />
          {' · '}
          <span>{shortWindowText(Date.parse(window_start), Date.parse(window_end), now.value)}</span>
        </>
      }
      acts={
        <>
          {mayRun && isUnmet(row) && (
            <Act shortcut="r" label={text.runAgainOf(name)} act={() => runAgain({ task_id: id }, name)}>
              {text.runAgain}
            </Act>
          )}
          {attempts > 0 && (
            <a data-key="o" href={hrefOf(`/runs/${id}?show=output`)} aria-label={text.outputOf(name)}>
              {text.output.title}
            </a>
          )}
          <a data-key="w" href={hrefOf(`/runs/${id}?why=1`)} aria-label={text.whyOf(name)}>
            {text.why}
          </a>
        </>
      }
    >
      <span class={`state is-${state}`}>{words.value.states[state] ?? state}</span>
      {endedAt !== null && (
        <>
          {isToday(endedAt) ? text.atTime : ' '}
          <When at={endedAt} as="moment" />
        </>
      )}
      {reason !== null && state !== 'fulfilled' && (
        <>
          : <Clause of={reason} />
        </>
      )}
      <small>
        {attempts > 1 && <>{text.attemptCount(attempts)} · </>}
        {text.dueBy} <When at={deadline} as="moment" />
      </small>
    </Row>
  );
}
