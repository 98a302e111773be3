import type { AuditedStore } from '../audit/audited-store.ts';
import { Delivery } from '../delivery/delivery.ts';
import { HorariumError } from '../errors.ts';
import { Event, type EventRow } from '../event/event.ts';
import { Artifact, ArtifactContent } from '../job/artifact.ts';
import { Job } from '../job/job.ts';
import { JobOutput } from '../job/job-output.ts';
import { isJobEnded } from '../job/job-states.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Where } from '../store/query.ts';
import { batches } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { isTaskEnded, Task, type TaskRow } from '../task/task.ts';
import { addToTotals } from '../task/task-total.ts';
import type { Expired } from './expired-runs.ts';
import { retentionActor } from './retention-actor.ts';

/** What a pass has deleted. */
export interface DeletedCounts {
  readonly tasks: number;
  readonly jobs: number;
  readonly artifacts: number;
  /** Jobs that have lost their output. */
  readonly outputs: number;
  readonly events: number;
  readonly deliveries: number;
}

export const nothingDeleted: DeletedCounts = { tasks: 0, jobs: 0, artifacts: 0, outputs: 0, events: 0, deliveries: 0 };

export type ExpiredRows = Expired<'files' | 'tasks' | 'jobs' | 'events' | 'deliveries'>;

export interface Deletion {
  readonly store: AuditedStore;
  readonly clock: Pick<Clock, 'elapsed' | 'sleep'>;
  /** The time zone of the service, by whose days Tasks are counted. */
  readonly timezone: string;
}

/** How many Tasks, jobs or events one transaction deletes at most. */
export const maxBatch = 200;
/** How many jobs of Tasks it deletes, at least those of one Task. */
const maxJobs = 400;
/** How many pieces of output it deletes, of up to some 100 KiB each. */
const outputBatch = 100;
/** About how many bytes of artifacts it deletes. */
const artifactBytes = 8 * 1024 * 1024;
/** How often, and how many times, it tries again while another process deletes. */
const lockInterval: Milliseconds = 50;
const maxLockTries = 600;

type OnDeleted = (counts: Partial<DeletedCounts>) => void;

/**
 * Deletes at most `maxBatch` rows and what belongs to them, each row with its entry in the audit log: the output and
 * artifacts of jobs first, in transactions of their own, then the jobs, then their Tasks. What is in use by then stays.
 * @param onDeleted is called after each transaction.
 */
export async function deleteExpired(
  deletion: Deletion,
  { kind, ids }: ExpiredRows,
  onDeleted: OnDeleted,
): Promise<void> {
  if (ids.length > 0) await remove[kind](deletion, ids, onDeleted);
}

type Remove = (deletion: Deletion, ids: readonly number[], onDeleted: OnDeleted) => Promise<void>;

const remove: Readonly<Record<ExpiredRows['kind'], Remove>> = {
  files: (deletion, ids, onDeleted) => removeFiles(deletion, ids, onDeleted, { jobsStay: true }),
  async tasks(deletion, ids, onDeleted) {
    const { unused, hasFiles } = await deletion.store.read(async (tables) => {
      const unused = await unusedTasks(tables, ids);
      return { unused, hasFiles: await haveFiles(tables, [...unused.values()].flat()) };
    });
    for (const tasks of groupsOf(unused)) {
      await yieldToEventLoop();
      for (const jobs of hasFiles ? batches([...tasks.values()].flat(), maxBatch) : []) {
        await yieldToEventLoop();
        await removeFiles(deletion, jobs, onDeleted);
      }
      await deleteRows(deletion, [...tasks.keys()], onDeleted, (tables, some) =>
        deleteTasks(tables, some, deletion.timezone),
      );
    }
  },
  async jobs(deletion, ids, onDeleted) {
    await removeFiles(deletion, ids, onDeleted);
    await deleteRows(deletion, ids, onDeleted, async (tables, some) => {
      const deleted = await tables.of(Job).delete([
        ['id', 'in', some],
        ['task_id', '=', null],
      ]);
      return { jobs: deleted.length };
    });
  },
  events: (deletion, ids, onDeleted) =>
    deleteRows(deletion, ids, onDeleted, async (tables, some) => {
      const unused = await unusedEvents(tables, some);
      return { events: (await tables.of(Event).delete([['id', 'in', unused]])).length };
    }),
  deliveries: (deletion, ids, onDeleted) =>
    deleteRows(deletion, ids, onDeleted, async (tables, some) => {
      const deleted = await tables.of(Delivery).delete([
        ['id', 'in', some],
        ['state', '!=', 'pending'],
      ]);
      return { deliveries: deleted.length };
    }),
};

/** Returns those of these Tasks that have ended and whose attempts have all ended, each with the ids of its jobs. */
export async function unusedTasks(tables: Tables, ids: readonly number[]): Promise<Map<number, number[]>> {
  const where: Where<TaskRow> = [['id', 'in', ids]];
  const stored = await tables.of(Task).find({ where, columns: ['id', 'state'] });
  const jobsOf = new Map<number, number[]>();
  for (const { id, state } of stored) if (isTaskEnded(state)) jobsOf.set(id, []);
  const jobs = await tables.of(Job).find({ where: [['task_id', 'in', ids]], columns: ['id', 'task_id', 'state'] });
  for (const { id, task_id } of jobs) jobsOf.get(task_id as number)?.push(id);
  for (const { task_id, state } of jobs) if (!isJobEnded(state)) jobsOf.delete(task_id as number);
  return jobsOf;
}

/** Returns those of these events that are done with, and that caused no job which is still there. */
export async function unusedEvents(tables: Tables, ids: readonly number[]): Promise<number[]> {
  const jobs = await tables.of(Job).find({ where: [['event_id', 'in', ids]], columns: ['event_id'] });
  const causes = new Set(jobs.map(({ event_id }) => event_id));
  const where: Where<EventRow> = [
    ['id', 'in', ids.filter((id) => !causes.has(id))],
    ['state', '!=', 'pending'],
  ];
  return (await tables.of(Event).find({ where, columns: ['id'] })).map(({ id }) => id);
}

/** Divides Tasks so that the jobs of each part fit into a transaction. */
function groupsOf(jobsOf: ReadonlyMap<number, readonly number[]>): Map<number, readonly number[]>[] {
  const groups: Map<number, readonly number[]>[] = [];
  let size = 0;
  for (const [task, jobs] of jobsOf) {
    if (groups.length === 0 || size + jobs.length > maxJobs) {
      groups.push(new Map());
      size = 0;
    }
    groups.at(-1)?.set(task, jobs);
    size += jobs.length;
  }
  return groups;
}

/** Deletes Tasks with their jobs, and adds them to the totals. */
async function deleteTasks(tables: Tables, ids: readonly number[], timezone: string): Promise<Partial<DeletedCounts>> {
  const unused = await unusedTasks(tables, ids);
  const jobIds = [...unused.values()].flat();
  const deletedJobs = jobIds.length > 0 ? await tables.of(Job).delete([['id', 'in', jobIds]]) : [];
  const deleted = unused.size > 0 ? await tables.of(Task).delete([['id', 'in', [...unused.keys()]]]) : [];
  if (deleted.length > 0) await addToTotals(tables, deleted, timezone);
  return { tasks: deleted.length, jobs: deletedJobs.length };
}

/** Whether some of these jobs have output or artifacts. */
async function haveFiles(tables: Tables, jobIds: readonly number[]): Promise<boolean> {
  if (jobIds.length === 0) return false;
  const ofJobs = [['job_id', 'in', jobIds] as const];
  return (await tables.of(Artifact).count(ofJobs, 1)) > 0 || (await tables.of(JobOutput).count(ofJobs, 1)) > 0;
}

/** Deletes the output and the artifacts of jobs; jobs that stay are marked as without their output. */
async function removeFiles(
  deletion: Deletion,
  jobIds: readonly number[],
  onDeleted: OnDeleted,
  { jobsStay = false } = {},
): Promise<void> {
  const { store } = deletion;
  const ofJobs = [['job_id', 'in', jobIds] as const];
  while ((await store.readOnce((tables) => tables.of(Artifact).count(ofJobs, 1))) > 0) {
    await yieldToEventLoop();
    const artifacts = await inTransaction(deletion, (tables) => deleteArtifacts(tables, jobIds));
    if (artifacts === undefined) return;
    onDeleted({ artifacts });
  }
  while ((await store.readOnce((tables) => tables.of(JobOutput).count(ofJobs, 1))) > 0) {
    await yieldToEventLoop();
    const outputs = await inTransaction(deletion, (tables) => deleteOutput(tables, jobIds, jobsStay));
    if (outputs === undefined) return;
    onDeleted({ outputs });
  }
}

/** Deletes some of the artifacts of jobs, with their contents. @returns how many. */
async function deleteArtifacts(tables: Tables, jobIds: readonly number[]): Promise<number> {
  const found = await tables
    .of(Artifact)
    .find({ where: [['job_id', 'in', jobIds]], limit: maxBatch, columns: ['id', 'size'] });
  let bytes = 0;
  const ids: number[] = [];
  for (const { id, size } of found) {
    if (ids.length > 0 && bytes + size > artifactBytes) break;
    bytes += size;
    ids.push(id);
  }
  await tables.of(ArtifactContent).purge([['artifact_id', 'in', ids]]);
  await tables.of(Artifact).delete([['id', 'in', ids]]);
  return ids.length;
}

/** Deletes some pieces of the output of jobs. @returns how many jobs have none any more. */
async function deleteOutput(tables: Tables, jobIds: readonly number[], jobsStay: boolean): Promise<number> {
  const found = await tables.of(JobOutput).find({
    where: [['job_id', 'in', jobIds]],
    order: [
      ['job_id', 'asc'],
      ['seq', 'asc'],
    ],
    limit: outputBatch + 1,
    columns: ['id', 'job_id'],
  });
  const pieces = found.slice(0, outputBatch);
  await tables.of(JobOutput).purge([['id', 'in', pieces.map(({ id }) => id)]]);
  const emptied = new Set(pieces.map(({ job_id }) => job_id));
  const left = found[outputBatch];
  if (left) emptied.delete(left.job_id);
  if (jobsStay && emptied.size > 0) {
    const now = await tables.now();
    const jobs = await tables.of(Job).find({ where: [['id', 'in', [...emptied]]], lock: 'wait' });
    await tables.of(Job).update(jobs.map((row) => ({ row, set: { output_deleted_at: now } })));
  }
  return emptied.size;
}

/** Deletes rows in one transaction; if another record has come to use one of them, in smaller ones, and leaves that row. */
async function deleteRows(
  deletion: Deletion,
  ids: readonly number[],
  onDeleted: OnDeleted,
  work: (tables: Tables, ids: readonly number[]) => Promise<Partial<DeletedCounts>>,
): Promise<void> {
  try {
    const counts = await inTransaction(deletion, (tables) => work(tables, ids));
    if (counts) onDeleted(counts);
  } catch (error) {
    if (!(error instanceof HorariumError && error.code === 'conflict')) throw error;
    if (ids.length === 1) return;
    for (const half of batches(ids, Math.ceil(ids.length / 2))) {
      await yieldToEventLoop();
      await deleteRows(deletion, half, onDeleted, work);
    }
  }
}

/**
 * Runs a deletion while no other process runs one; undefined where that has lasted too long. It does not wait for the
 * disk: what a power failure brings back is deleted again.
 */
async function inTransaction<T>(
  { store, clock }: Deletion,
  work: (tables: Tables) => Promise<T>,
): Promise<T | undefined> {
  for (let tries = 0; tries < maxLockTries; tries += 1) {
    await yieldToEventLoop();
    const done = await store.transaction(
      retentionActor,
      async (tables) => ((await tables.tryLock('retention')) ? { result: await work(tables) } : null),
      { durable: false, seals: true },
    );
    if (done) return done.result;
    await clock.sleep(lockInterval);
  }
  return undefined;
}
