import { AuditLog, formatInstant, Job, type JobRow, newRow, type Store, Task, type TaskRow } from '@horarium/core';
import { type Block, copyHistory } from './copy-history.ts';
import type { BenchDatabase } from './databases.ts';
import { addTemplates, ceilToSecond } from './templates-due.ts';

/** The audit entries of one finished job and its Task. */
export const entriesPerJob = 6;
const batch = 5000;
const day = 86_400_000;
const minute = 60_000;

/**
 * Adds finished jobs with their Tasks and sealed audit entries, as a service has after years. It inserts into
 * the store directly, because it writes the audit entries itself.
 */
export class FinishedHistory {
  readonly #store: Store;
  readonly #url: string;
  /** The first batch, from which PostgreSQL copies the others. */
  #block: Block | null = null;
  #templates: readonly number[] = [];
  #jobs = 0;
  #entries = 0;

  constructor({ store, url }: Pick<BenchDatabase, 'store' | 'url'>) {
    this.#store = store;
    this.#url = url;
  }

  /** Adds jobs up to a total number. */
  async growTo(count: number): Promise<void> {
    if (this.#templates.length === 0)
      this.#templates = await addTemplates(this.#store, {
        count: 100,
        executor: 'noop',
        at: ceilToSecond(Date.now() + 300 * day),
      });
    // New entries follow the end of the sealed chain.
    this.#entries = await this.#lastSeal();
    while (this.#jobs < count) {
      const copies = Math.floor((count - this.#jobs) / batch);
      if (this.#block && copies > 0 && this.#store.kind === 'postgresql') {
        await copyHistory(this.#url, this.#block, { copies, done: this.#jobs, templates: this.#templates.length });
        this.#jobs += copies * batch;
        this.#entries = await this.#lastSeal();
        continue;
      }
      const size = Math.min(batch, count - this.#jobs);
      await this.#add(size);
      this.#jobs += size;
    }
  }

  async #lastSeal(): Promise<number> {
    const order = [['seq', 'desc']] as const;
    const where = [['seq', '!=', null]] as const;
    const find = this.#store.transaction((tables) => tables.of(AuditLog).find({ where, order, limit: 1 }));
    return (await find)[0]?.seq ?? 0;
  }

  async #add(size: number): Promise<void> {
    const tasks = Array.from({ length: size }, (_, index) => this.#task(this.#jobs + index));
    const seq = this.#entries + 1;
    const [task, job, entry] = await this.#store.transaction(async (tables) => {
      const taskIds = await tables.of(Task).insert(tasks);
      const jobs = tasks.map((task, index) => this.#job(task, taskIds[index] as number));
      const jobIds = await tables.of(Job).insert(jobs);
      const entries = jobs.flatMap((job, index) => this.#audit(job, jobIds[index] as number));
      return [taskIds[0], jobIds[0], (await tables.of(AuditLog).insert(entries))[0]] as [number, number, number];
    });
    if (size === batch) this.#block ??= { jobs: size, entriesPerJob, task, job, entry, seq };
  }

  #task(number: number): Omit<TaskRow, 'id'> {
    const start = Date.UTC(2016, 0, 1) + Math.floor(number / this.#templates.length) * minute;
    return {
      ...newRow(Task, {
        runtemplate_id: this.#templates[number % this.#templates.length] as number,
        company_id: 1,
        window_start: start,
        window_end: start + minute,
        deadline: start + minute,
        state: 'fulfilled',
        attempts: 1,
        fulfilled_at: start + 2000,
      }),
      revision: 3,
      created_at: start,
      updated_at: start + 2000,
    };
  }

  #job(task: Omit<TaskRow, 'id'>, task_id: number): Omit<JobRow, 'id'> {
    const start = task.window_start;
    return {
      ...newRow(Job, {
        runtemplate_id: task.runtemplate_id,
        app_id: 1,
        company_id: 1,
        task_id,
        state: 'succeeded',
        scheduled_at: start,
        started_at: start + 10,
        finished_at: start + 2000,
        exit_code: 0,
        command: 'true',
        environment: {
          HORARIUM_WINDOW_START: formatInstant(start),
          HORARIUM_WINDOW_END: formatInstant(task.window_end),
        },
        executor: 'noop',
        worker: 'bench:1:0123456789ab',
        ping_key_hash: '0'.repeat(64),
      }),
      revision: 3,
      created_at: start,
      updated_at: start + 2000,
    };
  }

  #audit(job: Omit<JobRow, 'id'>, jobId: number) {
    const entities = [
      ['Task', job.task_id as number],
      ['Job', jobId],
    ] as const;
    // A create and two updates of each: `entriesPerJob` in all.
    return [0, 10, 2000].flatMap((after) =>
      entities.map(([entity_type, entity_id]) => {
        const seq = ++this.#entries;
        const changes = {
          state: ['running', 'succeeded'],
          finished_at: [null, formatInstant(job.scheduled_at + after)],
        };
        return newRow(AuditLog, {
          created_at: job.scheduled_at + after,
          channel: 'system',
          actor: 'runner',
          action: after === 0 ? 'create' : 'update',
          entity_type,
          entity_id,
          company_id: 1,
          changes: changes as never,
          seq,
          hash: seq.toString(16).padStart(64, '0'),
        });
      }),
    );
  }
}
