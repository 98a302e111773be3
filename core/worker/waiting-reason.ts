import { text } from '../field/fields.ts';
import { Job, type JobRow } from '../job/job.ts';
import { isBlocked } from '../job/pending-jobs.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { isOnlyCompany } from '../queue/due-rows.ts';
import { shareOf } from '../queue/turns.ts';
import type { ComputedOptions } from '../resource/define-resource.ts';
import type { Where } from '../store/query.ts';
import { readById } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { maxReason } from '../task/task.ts';
import { RunTemplate } from '../template/run-template.ts';
import { readPlaces } from './company-places.ts';
import { WorkerLease, type WorkerLeaseRow } from './lease/worker-lease.ts';

type WaitingJob = Pick<
  JobRow,
  'id' | 'state' | 'scheduled_at' | 'queue_at' | 'executor' | 'company_id' | 'runtemplate_id' | 'task_id'
>;

/** A job that has been due for a shorter time waits for nothing but the next claim. */
const usualWait: Milliseconds = 1000;

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
      details.push({ waiting_reason: await reasonOf(tables, job) });
    }
    return details;
  },
};

async function reasonOf(tables: Tables, job: WaitingJob): Promise<string | null> {
  if (job.state !== 'scheduled') return null;
  const now = await tables.now();
  if (job.scheduled_at > now - usualWait) return null;
  if (isBlocked(job)) return blockedReason(tables, job);
  // A worker has claimed it and starts it soon.
  if (job.queue_at !== null && job.queue_at > now) return null;
  const places = (await readPlaces(tables, [job.company_id])).get(job.company_id) ?? Infinity;
  if (places <= 0) return `company ${job.company_id} runs as many jobs as its max_running allows`;
  return slotReason(tables, job, now);
}

/** Says which jobs of its template a job waits for. */
async function blockedReason(tables: Tables, { runtemplate_id, task_id }: WaitingJob): Promise<string> {
  const { overlap, max_running } = await readById(tables, RunTemplate, runtemplate_id);
  const running: Where<JobRow> = [
    ['runtemplate_id', '=', runtemplate_id],
    ['state', '=', 'running'],
  ];
  if (overlap !== 'allow') {
    const [other] = await tables.of(Job).find({ where: running, limit: 1, columns: ['id'] });
    if (other && overlap === 'replace') return `job ${other.id}, which this one replaces, is being stopped`;
    if (other) return `job ${other.id} of RunTemplate ${runtemplate_id} runs, and its overlap is ${overlap}`;
  }
  if (task_id !== null) {
    const where: Where<JobRow> = [...running, ['task_id', '=', task_id]];
    const [other] = await tables.of(Job).find({ where, limit: 1, columns: ['id'] });
    if (other) return `job ${other.id} runs, which is another attempt at its Task`;
  }
  if (max_running !== null && (await tables.of(Job).count(running, max_running)) >= max_running)
    return `RunTemplate ${runtemplate_id} runs as many jobs as its max_running allows`;
  return `older jobs of RunTemplate ${runtemplate_id} start first`;
}

/** Says why no worker has a slot for a job; null where one has. */
async function slotReason(tables: Tables, { executor, company_id }: WaitingJob, now: Instant): Promise<string | null> {
  const live = await tables.of(WorkerLease).find({ where: [['lease_until', '>', now]] });
  const workers = live.filter(({ capacity, executors }) => capacity > 0 && executors?.split(',').includes(executor));
  if (workers.length === 0)
    return `no worker has the executor ${executor}: one must start, or a program elsewhere claim the job`;
  const used = await usedSlots(tables, workers);
  const isOnly = await isOnlyCompany(tables);
  const open = workers.filter(({ name, capacity }) => sum(used.get(name)) < capacity);
  if (open.length === 0)
    return 'all slots of the workers are taken, and companies take turns at those that become free';
  const isAtShare = ({ name, capacity }: WorkerLeaseRow) =>
    !isOnly && (used.get(name)?.get(company_id) ?? 0) >= shareOf(capacity);
  return open.every(isAtShare)
    ? `company ${company_id} holds its share of the slots, and the others are left to other companies`
    : null;
}

/** Counts the slots that each company holds of each worker, by the name of the worker. */
async function usedSlots(tables: Tables, workers: readonly WorkerLeaseRow[]) {
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
