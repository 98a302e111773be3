import { hrefOf } from '../app/router.ts';
import { clauseOr } from '../parts/clause.tsx';
import { Name } from '../parts/name.tsx';
import { words } from '../words/words.ts';
import type { CausedJob, EventRow } from './event.ts';

/** How many causes a row names. */
const maxNamed = 3;

/** What became of an event: the runs that it caused, or why it caused none. */
export function EventOutcome({ of, jobs }: { readonly of: EventRow; readonly jobs: readonly CausedJob[] }) {
  const text = words.value.events;
  const { state, reason, attempts } = of;
  if (state === 'set_aside') return <span class="mistake">{clauseOr(reason, text.stateNames[state])}</span>;
  if (state === 'pending') return <>{clauseOr(reason, text.waits)}</>;
  if (jobs.length === 0) return <span class="soft">{clauseOr(reason, text.causedNothing)}</span>;
  return (
    <>
      {text.caused}
      {jobs.slice(0, maxNamed).map((job, index) => (
        <span key={job.id}>
          {index > 0 && ', '}
          <a href={hrefOf(viewOfJob(job))}>
            <Name of="RunTemplate" id={job.runtemplate_id} />
          </a>
        </span>
      ))}
      {jobs.length > maxNamed && text.more(jobs.length - maxNamed)}
      {attempts > 1 && <small>{text.attempts(attempts)}</small>}
    </>
  );
}

/** Jobs of a run are shown with it; others are on their own. */
export function viewOfJob({ id, task_id }: Pick<CausedJob, 'id' | 'task_id'>): string {
  return task_id === null ? `/jobs/${id}` : `/runs/${task_id}`;
}
