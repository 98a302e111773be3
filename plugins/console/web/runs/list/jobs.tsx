import { runAgain } from '../../acts/run-acts.ts';
import { hrefOf } from '../../app/router.ts';
import { useLivePage } from '../../data/answer.ts';
import { now } from '../../data/clock.ts';
import { mayIn } from '../../data/may.ts';
import { narrowedList } from '../../lists/narrowed.ts';
import { Pages } from '../../lists/pages.tsx';
import { Row, Rows } from '../../lists/rows.tsx';
import { useSteady } from '../../lists/steady.ts';
import { Act } from '../../parts/act.tsx';
import { Answered } from '../../parts/answered.tsx';
import { Clause } from '../../parts/clause.tsx';
import { Dot } from '../../parts/dot.tsx';
import { Name } from '../../parts/name.tsx';
import { titleAt } from '../../parts/text/title.ts';
import { When } from '../../parts/when.tsx';
import { words } from '../../words/words.ts';
import { durationText, StartedBy } from '../attempt-text.tsx';
import { type AttemptRow, isAttemptEnded } from '../run-records.ts';
import { Filters, filterWords } from './filters.tsx';
import { ListHead } from './list-head.tsx';

/** Finds jobs that no window owed: those of people, of events and of other programs. */
export function Jobs() {
  const text = words.value.runs;
  const { path } = narrowedList('jobs', ['state', 'runtemplate_id', 'after'], { task_id: 'none' });
  const page = useLivePage<AttemptRow>(path, { kinds: ['Job'] });
  const steady = useSteady(page.value?.rows ?? [], ({ id }) => id);
  return (
    <>
      <ListHead of="jobs" title={page.value ? text.adHocHeadline(page.value.total, filterWords()) : text.adHoc} />
      <Filters of="jobs" />
      <Answered of={page}>
        {(value) => (
          <>
            {value.rows.length === 0 && <p class="soft">{text.noneAdHoc}</p>}
            <div class="runs">
              <Rows of={steady} label={text.adHoc}>
                {(job) => <JobRow key={job.id} job={job} />}
              </Rows>
            </div>
            <Pages of={value} />
          </>
        )}
      </Answered>
    </>
  );
}

function JobRow({ job }: { readonly job: AttemptRow }) {
  const text = words.value.runs;
  const { id, runtemplate_id, company_id, state, started_at, finished_at, scheduled_at, reason } = job;
  const name = titleAt('RunTemplate', runtemplate_id);
  const at = finished_at ?? started_at ?? scheduled_at;
  return (
    <Row
      lead={<Dot state={state} named={false} />}
      title={<Name of="RunTemplate" id={runtemplate_id} />}
      href={hrefOf(`/jobs/${id}`)}
      under={
        <>
          <Name of="Company" id={company_id} />
          {' · '}
          <StartedBy job={job} />
        </>
      }
      acts={
        <>
          {mayIn(company_id, 'operator') && isAttemptEnded(job) && state !== 'succeeded' && (
            <Act shortcut="r" label={text.runAgainOf(name)} act={() => runAgain({ runtemplate_id }, name)}>
              {text.runAgain}
            </Act>
          )}
          <a data-key="o" href={hrefOf(`/jobs/${id}?show=output`)} aria-label={text.outputOf(name)}>
            {text.output.title}
          </a>
        </>
      }
    >
      <span class={`state is-${state}`}>{words.value.states[state] ?? state}</span> <When at={at} as="moment" />
      {reason !== null && (
        <>
          : <Clause of={reason} />
        </>
      )}
      {started_at !== null && <small>{durationText(job, now.value)}</small>}
    </Row>
  );
}
