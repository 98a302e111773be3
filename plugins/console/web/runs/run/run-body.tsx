import { useEffect } from 'preact/hooks';
import { query, setQuery } from '../../app/router.ts';
import { useLive } from '../../data/answer.ts';
import type { ChangesSinceSuccess } from '../../data/why.ts';
import { Clause } from '../../parts/clause.tsx';
import { Mistake } from '../../parts/mistake.tsx';
import { When } from '../../parts/when.tsx';
import { words } from '../../words/words.ts';
import { Output } from '../output/output.tsx';
import { type AttemptDetail, type AttemptRow, isAttemptEnded } from '../run-records.ts';
import { Artifacts } from './artifacts.tsx';
import { AttemptDetails, Attempts } from './attempts.tsx';
import { Caused } from './caused.tsx';
import { History } from './history.tsx';
import { SinceSuccess } from './since-success.tsx';
import { ThisTemplate } from './this-template.tsx';

interface RunBodyProps {
  /** Null = a job without a Task. */
  readonly taskId: number | null;
  readonly templateId: number;
  readonly companyId: number;
  readonly jobs: readonly AttemptRow[];
  readonly day: string;
  readonly since: ChangesSinceSuccess | null;
  /** How long its job usually takes, in milliseconds. */
  readonly usual: number | null;
}

/** The evidence of a run: its attempts with their output, and what may explain them. */
export function RunBody({ taskId, templateId, companyId, jobs, day, since, usual }: RunBodyProps) {
  const text = words.value.runs;
  const wanted = Number(query.value.get('attempt'));
  const begun = jobs.filter(({ started_at }) => started_at !== null);
  const chosen =
    jobs.find(({ id }) => id === wanted) ??
    jobs.find(({ state }) => state === 'running') ??
    begun.at(-1) ??
    jobs.at(-1);
  return (
    <div class="evidence">
      <div>
        <h2>
          {text.attempts} <span>{words.value.number(jobs.length)}</span>
        </h2>
        {chosen === undefined ? (
          <p class="soft">{text.noAttempts}</p>
        ) : (
          <>
            <Attempts jobs={jobs} chosen={chosen.id} usual={usual} day={day} />
            <Attempt key={chosen.id} job={chosen} since={since} />
          </>
        )}
      </div>
      <aside aria-label={text.background}>
        {since && <SinceSuccess of={since} companyId={companyId} />}
        <ThisTemplate id={templateId} />
        <Caused
          of={taskId === null ? `job_id=${jobs[0]?.id ?? 0}` : `task_id=${taskId}`}
          hasDeliveries={taskId !== null}
        />
        <History taskId={taskId} attempts={new Map(jobs.map(({ id, attempt }) => [id, attempt]))} />
      </aside>
    </div>
  );
}

/** What one attempt wrote and left. */
function Attempt({ job, since }: { readonly job: AttemptRow; readonly since: ChangesSinceSuccess | null }) {
  const text = words.value.runs;
  const detail = useLive<AttemptDetail>(`/job/${job.id}.json`, { kinds: [`Job ${job.id}`] });
  useEffect(() => {
    if (query.value.get('show') !== 'output') return;
    setQuery({ show: null });
    document.getElementById('output')?.scrollIntoView();
  }, []);
  const success = since?.job_id ?? null;
  const { value, error } = detail;
  return (
    <>
      <Mistake of={error} />
      {value && <AttemptDetails job={value} />}
      {job.started_at === null ? (
        !isAttemptEnded(job) && (
          <p class="soft">{value?.waiting_reason ? <Clause of={value.waiting_reason} first /> : text.notYetStarted}</p>
        )
      ) : value?.output_deleted_at ? (
        <p class="soft">
          {text.outputDeleted} <When at={value.output_deleted_at} as="moment" />.
        </p>
      ) : (
        <Output
          jobId={job.id}
          title={text.outputOfAttempt(job.attempt)}
          success={success === job.id ? null : success}
        />
      )}
      {value && <Artifacts of={value.artifacts} />}
    </>
  );
}
