import { Job, type JobRow } from '../job/job.ts';
import { isJobEnded, jobStates } from '../job/job-states.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Order, Where } from '../store/query.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import { Task } from '../task/task.ts';
import type { KeepPolicy, Read } from './keep-policy.ts';

const endedJobStates = jobStates.filter(isJobEnded);

/** The rows of a template that runs have left. */
export interface RunCounts {
  readonly tasks: number;
  /** Ended jobs by their state, of Tasks and without one; states without jobs are missing. */
  readonly jobs: ReadonlyMap<string, number>;
}

/**
 * Counts Tasks and ended jobs of a template, from indexes alone. A template with hundreds of thousands of them takes some
 * milliseconds.
 * @param max to which each is counted. @default to its end
 */
export function countRuns(read: Read, id: number, max?: number): Promise<RunCounts> {
  return read(async (tables) => {
    const tasks = await tables.of(Task).count([['runtemplate_id', 'in', [id]]], max);
    const jobs = new Map<string, number>();
    for (const state of endedJobStates) {
      await yieldToEventLoop();
      const ofState: Where<JobRow> = [
        ['runtemplate_id', '=', id],
        ['state', '=', state],
      ];
      const count = await tables.of(Job).count(ofState, max);
      if (count > 0) jobs.set(state, count);
    }
    return { tasks, jobs };
  });
}

/** How many Tasks of a template are kept, and how many of its jobs without a Task; Infinity = all. */
export interface RunLimits {
  readonly tasks: number;
  readonly jobs: number;
}

/**
 * Returns how many runs each template of a company may have at most so that the company has no more rows than its limit:
 * those that have the most give way, the others keep all of theirs. Templates of companies within the limit are missing.
 */
export async function runLimitsOfTemplates(read: Read, policy: KeepPolicy): Promise<ReadonlyMap<number, RunLimits>> {
  const limits = new Map<number, RunLimits>();
  const max = policy.service.rowsPerCompany;
  if ((await hasAtMost(read, Task, max / 2)) && (await hasAtMost(read, Job, max / 2))) return limits;
  const byCompany = Map.groupBy(policy.templates.values(), ({ company_id }) => company_id);
  for (const templates of byCompany.values()) {
    const sizes: (RunLimits & { readonly id: number; readonly attempts: number })[] = [];
    for (const { id } of templates) {
      await yieldToEventLoop();
      const { tasks, jobs } = await countRuns(read, id);
      const ended = [...jobs.values()].reduce((sum, count) => sum + count, 0);
      const adhoc = ended === 0 ? 0 : await countAdHoc(read, id);
      sizes.push({ id, tasks, attempts: ended - adhoc, jobs: adhoc });
    }
    const level = levelOf(
      sizes.flatMap(({ tasks, attempts, jobs }) => [tasks + attempts, jobs]),
      max,
    );
    if (level === Infinity) continue;
    for (const { id, tasks, attempts } of sizes) {
      // A Task counts with its attempts, because they are deleted together.
      const rowsOfTask = tasks === 0 ? 1 : (tasks + attempts) / tasks;
      limits.set(id, { tasks: Math.max(1, Math.floor(level / rowsOfTask)), jobs: level });
    }
  }
  return limits;
}

/** Counts the ended jobs of a template that belong to no Task. */
function countAdHoc(read: Read, id: number): Promise<number> {
  return read((tables) =>
    tables.of(Job).count([
      ['runtemplate_id', 'in', [id]],
      ['state', 'in', endedJobStates],
      ['task_id', '=', null],
    ]),
  );
}

/** Returns the largest size to which each of them must be cut so that they are `max` together; Infinity = to none. */
export function levelOf(sizes: readonly number[], max: number): number {
  const ascending = sizes.toSorted((one, other) => one - other);
  let left = max;
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return Math.max(1, share);
    left -= size;
  }
  return Infinity;
}

/** Whether a table has at most so many rows, as far as its first and its last id tell. */
export async function hasAtMost(read: Read, description: TableDescription, max: number): Promise<boolean> {
  if (max === Infinity) return true;
  const idOf = async (direction: 'asc' | 'desc') => {
    const order = [['id', direction]] as Order;
    const [row] = await read((tables) => tables.of<AnyRow>(description).find({ order, limit: 1, columns: ['id'] }));
    return row?.id ?? 0;
  };
  return (await idOf('desc')) - (await idOf('asc')) < max;
}
