import { lazy } from '../app/lazy.tsx';
import { useLive, useLivePage } from '../data/answer.ts';
import { inOwnZone } from '../data/request.ts';
import { Answered } from '../parts/answered.tsx';
import { words } from '../words/words.ts';
import {
  type JobAnswer,
  type OutlookAnswer,
  ofCompany,
  type ProblemOfSummary,
  pauseHolding,
  type SummaryAnswer,
} from './answers.ts';
import { Headline } from './headline.tsx';
import { Next } from './next.tsx';
import { Problems } from './problems.tsx';
import { Running } from './running.tsx';
import { Strip } from './strip.tsx';

const FirstVisit = lazy(() => import('../app/further-screens.ts').then((further) => further.FirstVisit));

const kinds = ['Task', 'Job', 'Pause', 'MaintenanceWindow', 'RunTemplate', 'App', 'Company'];
/** How many of the jobs that run are listed: those that started first. */
const maxRunning = 12;
/** What no change tells of, such as a deadline that passes, shows after this time, in milliseconds. */
const every = 5000;
/** The outlook changes without a change of a record when a quarter of an hour ends. */
const everyOutlook = 60_000;
/** How often the progress of what runs is read: the feed does not name it. */
const everyProgress = 3000;

/** The problems that a person has answered who paused the template. */
const haltedKinds: ReadonlySet<string> = new Set(['failed', 'missed', 'overdue']);

/** Whether everything is on time, and what needs a person. */
export function Now() {
  const summary = useLive<SummaryAnswer>(ofCompany(inOwnZone('/summary.json')), { kinds, every });
  const outlook = useLive<OutlookAnswer>(ofCompany(inOwnZone('/outlook.json')), { kinds, every: everyOutlook });
  const isRunning = (summary.value?.running ?? 0) > 0;
  const jobs = useLivePage<JobAnswer>(ofCompany(`/jobs.json?state=running&order=id&limit=${maxRunning}`), {
    kinds: ['Job'],
    ...(isRunning && { every: everyProgress }),
  });
  return (
    <Answered of={summary}>
      {(value) => <Shown summary={value} outlook={outlook.value} jobs={jobs.value?.rows ?? []} />}
    </Answered>
  );
}

interface ShownProps {
  readonly summary: SummaryAnswer;
  readonly outlook: OutlookAnswer | undefined;
  readonly jobs: readonly JobAnswer[];
}

function Shown({ summary, outlook, jobs }: ShownProps) {
  const text = words.value.now;
  const running = new Set(jobs.map(({ task_id }) => task_id));
  const { problems, further } = summary;
  const isAtRisk = (kind: string, taskId: number | null) => kind === 'will_be_late' && running.has(taskId);
  const late = problems.filter(({ kind }) => kind === 'late');
  const unmet = problems.filter(({ kind, task_id }) => kind !== 'late' && !isAtRisk(kind, task_id));
  const unsettled = unmet.filter(({ recovered_at }) => recovered_at === null);
  const isPaused = ({ kind, runtemplate_id, company_id }: ProblemOfSummary) =>
    haltedKinds.has(kind) && pauseHolding(summary.pauses, runtemplate_id, company_id) !== null;
  const open = unsettled.filter((problem) => !isPaused(problem));
  const recovered = unmet.filter(({ recovered_at }) => recovered_at !== null);
  const atRisk = new Set(problems.filter(({ kind, task_id }) => isAtRisk(kind, task_id)).map(({ task_id }) => task_id));
  const isEmpty = outlook !== undefined && Object.keys(outlook.counts).length === 0;
  const isQuiet = isEmpty && outlook.next.length + jobs.length + problems.length + summary.pauses.length === 0;
  return (
    <>
      <Headline {...{ summary, outlook, isQuiet, recovered }} open={open.length} />
      {outlook && !isEmpty && <Strip outlook={outlook} />}
      <Problems title={text.needsPerson} name="problems" problems={open} {...{ summary, outlook, running }} />
      {isQuiet && <FirstVisit />}
      {!isQuiet && (
        <div class="columns">
          <Running jobs={jobs} total={Math.max(summary.running, jobs.length)} late={atRisk} />
          {outlook && <Next outlook={outlook} summary={summary} />}
        </div>
      )}
      <Problems
        title={text.pausedTitle}
        name="paused"
        problems={unsettled.filter(isPaused)}
        {...{ summary, outlook, running }}
      />
      <Problems title={text.recoveredTitle} name="recovered" problems={recovered} {...{ summary, outlook, running }} />
      <Problems title={text.lateTitle} name="late" problems={late} {...{ summary, outlook, running }} />
      {further > 0 && <p class="soft">{text.further(further)}</p>}
    </>
  );
}
