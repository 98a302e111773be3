import { hrefOf } from '../../app/router.ts';
import { now } from '../../data/clock.ts';
import { mayIn } from '../../data/may.ts';
import { recordOf, titleOf } from '../../data/records.ts';
import { Row, Rows } from '../../lists/rows.tsx';
import { useSteady } from '../../lists/steady.ts';
import { Act } from '../../parts/act.tsx';
import { Dot } from '../../parts/dot.tsx';
import { Name } from '../../parts/name.tsx';
import { When } from '../../parts/when.tsx';
import { words } from '../../words/words.ts';
import { durationText, StartedBy } from '../attempt-text.tsx';
import { runAgain } from '../run-actions.ts';
import { type AttemptRow, isAttemptEnded } from '../run-records.ts';
import { Filters, filterQuery, filterWords } from './filters.tsx';
import { ListHead } from './list-head.tsx';
import { useGrowingList } from './use-growing-list.ts';

/** Finds jobs that no window owed: those of people, of events and of other programs. */
export function Jobs() {
  const text = words.value.runs;
  const { rows, error, total, more } = useGrowingList<AttemptRow>('jobs', filterQuery('jobs', now.value), 'Job');
  const steady = useSteady(rows ?? [], ({ id }) => id);
  return (
    <>
      <ListHead of="jobs" title={rows ? text.adHocHeadline(total, filterWords()) : text.adHoc} />
      <Filters of="jobs" />
      {error !== null && (
        <p class="mistake" role="alert">
          {error}
        </p>
      )}
      {!rows && error === null && <p class="soft">{words.value.shell.loading}</p>}
      {rows?.length === 0 && <p class="soft">{text.noneAdHoc}</p>}
      <div class="runs">
        <Rows of={steady} label={text.adHoc}>
          {(job) => <JobRow key={job.id} job={job} />}
        </Rows>
      </div>
      {more && (
        <p class="more">
          <Act act={more}>{words.value.rows.more}</Act>
        </p>
      )}
    </>
  );
}

function JobRow({ job }: { readonly job: AttemptRow }) {
  const text = words.value.runs;
  const { id, runtemplate_id, company_id, state, started_at, finished_at, scheduled_at, reason } = job;
  const template = recordOf('RunTemplate', runtemplate_id);
  const name = template ? titleOf(template) : `RunTemplate ${runtemplate_id}`;
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
            <Act
              shortcut="r"
              label={text.runAgainOf(name)}
              act={async () => void (await runAgain({ runtemplate_id }, name))}
            >
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
      {reason !== null && <>: {reason}</>}
      {started_at !== null && <small>{durationText(job, now.value)}</small>}
    </Row>
  );
}
