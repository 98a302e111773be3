import { readPlacement } from '../executor/placement.ts';
import { text } from '../field/fields.ts';
import { Job, type JobRow } from '../job/job.ts';
import { isBlocked } from '../job/pending-jobs.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { describePause } from '../pause/pause.ts';
import { readPauses } from '../pause/pauses.ts';
import { isOnlyCompany } from '../queue/due-rows.ts';
import { shareOf } from '../queue/turns.ts';
import type { ComputedOptions } from '../resource/define-resource.ts';
import type { Where } from '../store/query.ts';
import { readById } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { maxReason } from '../task/task.ts';
import { RunTemplate } from '../template/run-template.ts';
import { readPlaces } from './company-places.ts';
import { readSuitableAgents } from './lease/agent-presence.ts';
import { hasExecutor, readLiveWorkers, type WorkerLeaseRow } from './lease/worker-lease.ts';

/** What can hold a due job up, in the order in which workers look: a pause, the jobs of its template, its company, then slots. */
export const holdNames = [
  'paused',
  'overlap',
  'other_attempt',
  'max_running',
  'order',
  'company_max_running',
  'worker',
  'slots',
  'share',
] as const;
export type HoldName = (typeof holdNames)[number];

/** Returns what workers look at after pauses and before this, in their order, and found that it holds nothing up. */
export function holdsBefore(name: HoldName): readonly HoldName[] {
  return holdNames.slice(holdNames.indexOf('paused') + 1, holdNames.indexOf(name));
}

/** What holds a due job up. */
export interface Hold {
  readonly name: HoldName;
  /** A clause without a full stop. */
  readonly reason: string;
}

export type WaitingJob = Pick<
  JobRow,
  | 'id'
  | 'state'
  | 'scheduled_at'
  | 'queue_at'
  | 'executor'
  | 'placement'
  | 'company_id'
  | 'runtemplate_id'
  | 'task_id'
  | 'caught_up'
>;

/** A job that has been due for a shorter time waits for nothing but the next claim. */
const usualWait: Milliseconds = 1000;

/** Returns what holds a job up that is due; null = nothing does, or it is not due. */
export async function holdOf(tables: Tables, job: WaitingJob): Promise<Hold | null> {
  if (job.state !== 'scheduled') return null;
  const now = await tables.now();
  if (job.scheduled_at > now) return null;
  const pause = (await readPauses(tables, [job])).at(job, now);
  if (pause) return { name: 'paused', reason: describePause(pause) };
  if (job.scheduled_at > now - usualWait) return null;
  if (isBlocked(job)) return holdOfTemplate(tables, job);
  if (isClaimed(job, now)) return null;
  const places = (await readPlaces(tables, [job.company_id])).get(job.company_id) ?? Infinity;
  if (places <= 0)
    return {
      name: 'company_max_running',
      reason: `company ${job.company_id} runs as many jobs as its max_running allows`,
    };
  const { placement } = job;
  return placement === null ? holdOfWorkers(tables, job, now) : holdOfAgents(tables, { ...job, placement }, now);
}

/** Tells why a job that is due does not run. It is derived when it is read: no tick writes it. */
export const waitingReason: ComputedOptions<WaitingJob> = {
  fields: {
    waiting_reason: text(maxReason, {
      readOnly: true,
      description: 'Why a due job has not started yet; null if nothing holds it up.',
    }),
  },
  detailOnly: true,
  async load(tables, rows) {
    const details: { readonly waiting_reason: string | null }[] = [];
    for (const job of rows) {
      await yieldToEventLoop();
      details.push({ waiting_reason: (await holdOf(tables, job))?.reason ?? null });
    }
    return details;
  },
};

/** Whether a worker has claimed a due job, and starts it soon. */
export function isClaimed({ queue_at }: Pick<JobRow, 'queue_at'>, now: Instant): boolean {
  return queue_at !== null && queue_at > now;
}

/** Returns which jobs of its template a job waits for. */
async function holdOfTemplate(tables: Tables, { runtemplate_id, task_id, caught_up }: WaitingJob): Promise<Hold> {
  const { overlap, max_running } = await readById(tables, RunTemplate, runtemplate_id);
  const running: Where<JobRow> = [
    ['runtemplate_id', '=', runtemplate_id],
    ['state', '=', 'running'],
  ];
  if (overlap !== 'allow') {
    const [other] = await tables.of(Job).find({ where: running, limit: 1, columns: ['id'] });
    const reason =
      overlap === 'replace' && !caught_up
        ? `job ${other?.id}, which this one replaces, is being stopped`
        : `job ${other?.id} of RunTemplate ${runtemplate_id} runs, and its overlap is ${overlap}`;
    if (other) return { name: 'overlap', reason };
  }
  if (task_id !== null) {
    const where: Where<JobRow> = [...running, ['task_id', '=', task_id]];
    const [other] = await tables.of(Job).find({ where, limit: 1, columns: ['id'] });
    if (other) return { name: 'other_attempt', reason: `job ${other.id} runs, which is another attempt at its Task` };
  }
  if (max_running !== null && (await tables.of(Job).count(running, max_running)) >= max_running)
    return { name: 'max_running', reason: `RunTemplate ${runtemplate_id} runs as many jobs as its max_running allows` };
  return { name: 'order', reason: `older jobs of RunTemplate ${runtemplate_id} start first` };
}

/** Returns why no worker has a slot for a job; null where one has. */
async function holdOfWorkers(tables: Tables, { executor, company_id }: WaitingJob, now: Instant): Promise<Hold | null> {
  const workers = (await readLiveWorkers(tables, now)).filter((worker) => hasExecutor(worker, executor));
  if (workers.length === 0)
    return {
      name: 'worker',
      reason: `no worker has the executor ${executor}: one must start, or a program elsewhere claim the job`,
    };
  return holdOfSlots(tables, workers, { company_id, those: 'the workers' });
}

/** Returns why no agent has a slot for a job; null where one has. */
async function holdOfAgents(
  tables: Tables,
  { placement, company_id }: { readonly placement: string; readonly company_id: number },
  now: Instant,
): Promise<Hold | null> {
  const { workers, missing } = await readSuitableAgents(tables, { placement, company_id }, now);
  if (missing !== null) return { name: 'worker', reason: missing };
  const those = `the agents of the pool ${readPlacement(placement).pool}`;
  return holdOfSlots(tables, workers, { company_id, those });
}

/** Returns why none of these workers has a slot for a job of the company; null where one has. */
async function holdOfSlots(
  tables: Tables,
  workers: readonly Pick<WorkerLeaseRow, 'name' | 'capacity'>[],
  { company_id, those }: { readonly company_id: number; readonly those: string },
): Promise<Hold | null> {
  const used = await usedSlots(tables, workers);
  const isOnly = await isOnlyCompany(tables);
  const open = workers.filter(({ name, capacity }) => sum(used.get(name)) < capacity);
  if (open.length === 0)
    return {
      name: 'slots',
      reason: `all slots of ${those} are taken, and companies take turns at those that become free`,
    };
  const isAtShare = ({ name, capacity }: Pick<WorkerLeaseRow, 'name' | 'capacity'>) =>
    !isOnly && (used.get(name)?.get(company_id) ?? 0) >= shareOf(capacity);
  return open.every(isAtShare)
    ? {
        name: 'share',
        reason: `company ${company_id} holds its share of the slots, and the others are left to other companies`,
      }
    : null;
}

/** Counts the slots that each company holds of each worker, by the name of the worker. */
async function usedSlots(tables: Tables, workers: readonly Pick<WorkerLeaseRow, 'name'>[]) {
  const counts = await tables.of(Job).countBy(
    ['worker', 'company_id'],
    [
      ['state', '=', 'running'],
      ['worker', 'in', workers.map(({ name }) => name)],
    ],
  );
  const used = new Map<string | null, Map<number, number>>();
  for (const {
    values: [worker, company],
    count,
  } of counts)
    used.set(worker, (used.get(worker) ?? new Map<number, number>()).set(company, count));
  return used;
}

function sum(used: ReadonlyMap<number, number> = new Map()): number {
  return [...used.values()].reduce((total, count) => total + count, 0);
}
