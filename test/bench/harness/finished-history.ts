import { randomUUID } from 'node:crypto';
import { AuditLog, formatInstant, Job, type JobRow, type Store, Task, type TaskRow } from '@horarium/core';
import { newRow } from '#core/store/table';
import { type Block, copyHistory } from './copy-history.ts';
import type { BenchDatabase } from './databases.ts';
import { addTemplates, ceilToSecond } from './templates-due.ts';

/** The audit entries of one finished job and its Task. */
export const entriesPerJob = 6;
const batchSize = 5000;
const minute = 60_000;
const year = 365 * 86_400_000;

/**
 * Adds finished jobs with their Tasks and sealed audit entries, as a service has after years. It inserts into the store
 * directly, because it writes the audit entries itself.
 */
export class FinishedHistory {
  readonly #store: Store;
  readonly #url: string;
  /** The first batch, from which PostgreSQL copies the others. */
  #block: Block | null = null;
  #templateIds: readonly number[] = [];
  #jobCount = 0;
  /** The end of the sealed chain. */
  #lastSeq = 0;

  constructor({ store, url }: Pick<BenchDatabase, 'store' | 'url'>) {
    this.#store = store;
    this.#url = url;
  }

  /** Adds jobs up to a total number. */
  async growTo(count: number): Promise<void> {
    if (this.#templateIds.length === 0) this.#templateIds = await this.#addTemplates();
    this.#lastSeq = await this.#readLastSeq();
    while (this.#jobCount < count) {
      const missing = count - this.#jobCount;
      if (this.#block && missing >= batchSize && this.#store.kind === 'postgresql')
        await this.#copyBlock(this.#block, Math.floor(missing / batchSize));
      else await this.#insertJobs(Math.min(batchSize, missing));
    }
  }

  /** Adds templates of which none becomes due during a bench. */
  #addTemplates(): Promise<number[]> {
    const at = ceilToSecond(Date.now() + year / 2);
    return addTemplates(this.#store, { count: 100, executor: 'noop', at });
  }

  async #readLastSeq(): Promise<number> {
    const order = [['seq', 'desc']] as const;
    const where = [['seq', '!=', null]] as const;
    const [last] = await this.#store.transaction((tables) => tables.of(AuditLog).find({ where, order, limit: 1 }));
    return last?.seq ?? 0;
  }

  async #copyBlock(block: Block, copies: number): Promise<void> {
    await copyHistory(this.#url, block, { copies, jobCount: this.#jobCount, templateCount: this.#templateIds.length });
    this.#jobCount += copies * block.jobCount;
    this.#lastSeq = await this.#readLastSeq();
  }

  async #insertJobs(jobCount: number): Promise<void> {
    const tasks = Array.from({ length: jobCount }, (_, index) => this.#taskRow(this.#jobCount + index));
    const firstSeq = this.#lastSeq + 1;
    const [firstTask, firstJob, firstEntry] = await this.#store.transaction(async (tables) => {
      const taskIds = await tables.of(Task).insert(tasks);
      const jobs = tasks.map((task, index) => this.#jobRow(task, taskIds[index] as number));
      const jobIds = await tables.of(Job).insert(jobs);
      const entries = jobs.flatMap((job, index) => this.#entryRows(job, jobIds[index] as number));
      return [taskIds[0], jobIds[0], (await tables.of(AuditLog).insert(entries))[0]] as [number, number, number];
    });
    this.#jobCount += jobCount;
    if (jobCount === batchSize) this.#block ??= { jobCount, entriesPerJob, firstTask, firstJob, firstEntry, firstSeq };
  }

  #taskRow(index: number): Omit<TaskRow, 'id'> {
    const start = Date.UTC(2016, 0, 1) + Math.floor(index / this.#templateIds.length) * minute;
    return {
      ...newRow(Task, {
        runtemplate_id: this.#templateIds[index % this.#templateIds.length] as number,
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

  #jobRow(task: Omit<TaskRow, 'id'>, task_id: number): Omit<JobRow, 'id'> {
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

  /** Makes entries whose changes are about as long as real ones. */
  #entryRows(job: Omit<JobRow, 'id'>, jobId: number) {
    const entities = [
      ['Task', job.task_id as number],
      ['Job', jobId],
    ] as const;
    // A create and two updates of each: `entriesPerJob` in all.
    return [0, 10, 2000].flatMap((after) =>
      entities.map(([entity_type, entity_id]) => {
        const seq = ++this.#lastSeq;
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
          nonce: randomUUID(),
          mac: '0'.repeat(64),
          seq,
          hash: seq.toString(16).padStart(64, '0'),
        });
      }),
    );
  }
}
