import { askAndCancel } from '../acts/run-acts.ts';
import { hrefOf } from '../app/router.ts';
import { now } from '../data/clock.ts';
import { mayIn } from '../data/may.ts';
import { recordOf, titleOf } from '../data/records.ts';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Act, ActLink } from '../parts/act.tsx';
import { Name } from '../parts/name.tsx';
import { spanText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import { type JobAnswer, runView } from './answers.ts';
import { DueBy } from './due-by.tsx';

interface RunningProps {
  readonly jobs: readonly JobAnswer[];
  readonly total: number;
  /** The Tasks that will be late if their attempts take as long as usual. */
  readonly late: ReadonlySet<number | null>;
}

/** What runs, how far it is, and whether it will be late. */
export function Running({ jobs, total, late }: RunningProps) {
  const text = words.value.now;
  const steady = useSteady(jobs, ({ id }) => id);
  const current = new Set(jobs.map(({ id }) => id));
  return (
    <section class="running">
      <h2>
        {text.runningTitle} <span>{total > 0 && words.value.number(total)}</span>
      </h2>
      {steady.rows.length === 0 ? (
        <p class="soft">{text.nothingRuns}</p>
      ) : (
        <Rows of={steady} label={text.runningTitle}>
          {(job) => (
            <RunningRow key={job.id} job={job} hasEnded={!current.has(job.id)} isLate={late.has(job.task_id)} />
          )}
        </Rows>
      )}
      {total > jobs.length && (
        <p class="small">
          <a href={hrefOf('/runs?state=running')}>{text.furtherRunning(total - jobs.length)}</a>
        </p>
      )}
    </section>
  );
}

interface RunningRowProps {
  readonly job: JobAnswer;
  readonly hasEnded: boolean;
  readonly isLate: boolean;
}

function RunningRow({ job, hasEnded, isLate }: RunningRowProps) {
  const { now: text, runs } = words.value;
  const { id, runtemplate_id, company_id, task_id, started_at, progress, message } = job;
  const template = recordOf('RunTemplate', runtemplate_id);
  const name = template ? titleOf(template) : '…';
  const task = task_id === null || hasEnded ? null : recordOf('Task', task_id);
  const deadline = task ? String(task['deadline']) : null;
  const usual = template?.['usual_duration'];
  const usually = typeof usual === 'number' && usual > 0 ? usual * 1000 : null;
  const elapsed = Math.max(0, now.value - Date.parse(started_at ?? ''));
  const share = progress ?? (usually === null ? null : Math.min(97, (100 * elapsed) / usually));
  const view = runView({ task_id, job_id: id });
  return (
    <Row
      state={isLate ? 'will_be_late' : 'running'}
      title={name}
      {...(view !== null && { href: hrefOf(view) })}
      under={
        <>
          <bdi>
            <Name of="Company" id={company_id} />
          </bdi>
          {hasEnded ? (
            ` · ${text.hasEnded}`
          ) : (
            <>
              {' · '}
              {spanText(elapsed)}
              {progress !== null && `, ${text.percent(progress)}`}
              {progress === null && usually !== null && usually >= 1000 && `, ${text.usually(spanText(usually))}`}
              {deadline !== null && (
                <>
                  {' · '}
                  <span class={isLate ? 'late' : undefined}>
                    {isLate && `${text.willBeLate}: `}
                    <DueBy at={deadline} />
                  </span>
                </>
              )}
              {message !== null && <> · {text.quoted(message)}</>}
            </>
          )}
        </>
      }
      below={
        share !== null &&
        !hasEnded && (
          <div
            class={`bar is-${isLate ? 'late' : 'running'}`}
            role="progressbar"
            aria-label={`${text.progress}: ${name}`}
            aria-valuenow={Math.round(share)}
            aria-valuemin={0}
            aria-valuemax={100}
          >
            <span style={{ width: `${share}%` }} />
          </div>
        )
      }
      acts={
        !hasEnded && (
          <>
            {view !== null && (
              <ActLink shortcut="o" label={`${text.output}: ${name}`} href={hrefOf(view)}>
                {text.output}
              </ActLink>
            )}
            {mayIn(company_id, 'operator') && (
              <Act label={`${runs.cancel} ${name}`} act={() => askAndCancel({ id, state: 'running' }, name)}>
                {runs.cancel}
              </Act>
            )}
          </>
        )
      }
    />
  );
}
