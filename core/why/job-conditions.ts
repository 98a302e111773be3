import { Job, type JobRow } from '../job/job.ts';
import type { TaskRow } from '../task/task.ts';
import { type HoldName, holdOf, holdsBefore, isClaimed } from '../worker/hold.ts';
import { agentOf } from '../worker/lease/agent-presence.ts';
import type { RunCondition } from './explanation.ts';
import { metCondition, timeText, unmetCondition, type WhyContext } from './why-context.ts';

const columns = [
  'id',
  'state',
  'scheduled_at',
  'queue_at',
  'executor',
  'placement',
  'company_id',
  'runtemplate_id',
  'task_id',
  'caught_up',
  'attempt',
  'started_at',
  'worker',
  'stop_reason',
] as const satisfies readonly (keyof JobRow)[];

/** A job that waits or runs, without its arguments and its environment. */
export type LiveJob = Pick<JobRow, (typeof columns)[number]>;

/** Reads the running job, or else the pending job that is due first, of a template or of a Task. */
export async function runningOrNextJob(
  { tables }: WhyContext,
  of: readonly ['runtemplate_id' | 'task_id', '=', number],
): Promise<LiveJob | undefined> {
  const first = (state: 'running' | 'scheduled') =>
    tables.of(Job).find({
      where: [of, ['state', '=', state]],
      order: [['scheduled_at', 'asc']],
      limit: 1,
      columns,
    });
  const [running, [pending]] = await Promise.all([first('running'), first('scheduled')]);
  return running[0] ?? pending;
}

/** Says whether attempts at an open Task may still start. */
export function deadlineCondition(
  context: WhyContext,
  { start_deadline, deadline, backfilled }: TaskRow,
): RunCondition {
  if (start_deadline === null)
    return metCondition(
      'deadline',
      `it is ${backfilled ? 'backfilled' : 'caught up'}: no deadline keeps an attempt from starting`,
    );
  const limit = timeText(context, start_deadline);
  if (start_deadline < context.now)
    return unmetCondition('deadline', `no attempt may start after ${limit}: a scheduler ends its Task within a moment`);
  const late = start_deadline === deadline ? '' : `; the deadline is ${timeText(context, deadline)}`;
  return metCondition('deadline', `an attempt may start until ${limit}${late}`);
}

/** Lists what must be met so that a pending job starts: it is due, and nothing holds it up. */
export async function pendingConditions(context: WhyContext, job: LiveJob): Promise<RunCondition[]> {
  const { tables, now } = context;
  const at = timeText(context, job.scheduled_at);
  const attempt = job.attempt > 1 ? `attempt ${job.attempt}, job ${job.id},` : `job ${job.id}`;
  if (job.scheduled_at > now) return [unmetCondition('due', `${attempt} is due at ${at}`)];
  const due = metCondition('due', `${attempt} has been due since ${at}`);
  const hold = await holdOf(tables, job);
  // The conditions of the template tell of the pause.
  if (hold?.name === 'paused') return [due];
  if (hold)
    return [
      due,
      ...holdsBefore(hold.name).map((name) => metCondition(name, unheldText(name, job))),
      unmetCondition(hold.name, hold.reason),
    ];
  const next = isClaimed(job, now)
    ? 'a worker has claimed it, and starts it within a moment'
    : `${job.placement === null ? 'a worker' : 'an agent'} takes it with its next claim, unless another transaction has locked its template`;
  return [due, metCondition('slots', next)];
}

const unheldTexts: Readonly<Record<HoldName, string>> = {
  paused: 'no pause holds it',
  overlap: 'no job of its template keeps it from starting by overlap',
  other_attempt: 'no other attempt at its Task runs',
  max_running: 'its template may run a further job',
  order: 'no older job of its template has to start first',
  company_max_running: 'its company may run a further job',
  worker: 'a live worker has its executor',
  slots: 'a worker has a free slot',
  share: 'its company holds less than its share of the slots',
};

const unheldByAgents: Partial<typeof unheldTexts> = {
  worker: 'an agent that is alive has its pool and its labels',
  slots: 'an agent has a free slot',
};

function unheldText(name: HoldName, { placement }: LiveJob): string {
  return (placement === null ? undefined : unheldByAgents[name]) ?? unheldTexts[name];
}

/** Says since when a job runs, and whether it is being stopped. */
export function runningText(context: WhyContext, job: LiveJob): string {
  const since = job.started_at === null ? '' : ` since ${timeText(context, job.started_at)}`;
  const on = job.worker === null ? '' : ` on ${hostOf(job.worker)}`;
  return `job ${job.id} runs${since}${on}${job.stop_reason === null ? '' : `, and is being stopped: ${job.stop_reason}`}`;
}

/** Returns where a worker runs jobs, for people: `agent NAME`, the host of a worker of the service, or the name of another one. */
export function hostOf(worker: string): string {
  const agent = agentOf(worker);
  return agent === null ? worker.replace(/:\d+:[^:]+$/, '') : `agent ${agent}`;
}
