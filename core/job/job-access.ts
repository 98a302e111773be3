import type { TransactionHooks } from '../audit/audited-store.ts';
import { conflict, denied, HorariumError, notFound } from '../errors.ts';
import { visibleTo } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import { lockTemplates } from '../template/schedule.ts';
import { Job, type JobRow } from './job.ts';
import { isJobEnded } from './job-states.ts';

export interface JobAccessOptions {
  /** Whether the actor may run, cancel and report jobs of that company. */
  mayRun(actor: Actor, companyId: number): boolean;
}

/** What a channel adds to a change of a job. */
export interface JobChange<T = JobRow> extends TransactionHooks<T> {
  /** Change nothing unless the job is still at this version. */
  readonly version?: number | undefined;
}

/** Which jobs somebody may see, and which they may do something with. */
export class JobAccess {
  readonly #options: JobAccessOptions;

  constructor(options: JobAccessOptions) {
    this.#options = options;
  }

  /** The condition that leaves the rows which the actor may see. */
  seen<R extends AnyRow>(actor: Actor, resource: TableDescription<R>): Where<R> {
    return visibleTo(actor, resource);
  }

  /** @throws HorariumError `not_found`, also for one that the actor may not see. */
  async visible(tables: Tables, actor: Actor, id: number): Promise<JobRow> {
    const [job] = await tables.of(Job).find({ where: [['id', '=', id], ...this.seen(actor, Job)] });
    if (!job) throw notFound('Job', id);
    return job;
  }

  /**
   * A job that the actor may change, read under its template's lock.
   * @throws HorariumError `not_found`, `denied`, or `precondition_failed` when it is at another version.
   */
  async mine(tables: Tables, actor: Actor, id: number, { version }: Pick<JobChange, 'version'> = {}): Promise<JobRow> {
    const { runtemplate_id } = await this.visible(tables, actor, id);
    await lockTemplates(tables, [runtemplate_id], 'wait');
    const job = await this.visible(tables, actor, id);
    this.allow(actor, job.company_id);
    if (version !== undefined && version !== job.revision)
      throw new HorariumError('precondition_failed', `Job ${id} was changed meanwhile.`);
    return job;
  }

  /** @throws HorariumError `denied`. */
  allow(actor: Actor, companyId: number): void {
    if (!this.#options.mayRun(actor, companyId))
      throw denied(`${actor.name} may not run, report or cancel jobs of company ${companyId}.`);
  }
}

const endings: Partial<Record<JobRow['state'], string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  timed_out: 'timed out',
  cancelled: 'was cancelled',
  lost: 'was lost',
  skipped: 'was skipped',
};

/** @throws HorariumError `conflict` for a job that has ended: nothing of it changes any more. */
export function refuseEnded({ id, state }: Pick<JobRow, 'id' | 'state'>): void {
  if (isJobEnded(state)) throw conflict(`Job ${id} has already ended: it ${endings[state] ?? `is ${state}`}.`);
}
