import type { CompanyRow } from '../company/company.ts';
import { conflict, denied } from '../errors.ts';
import { assertVersion, readVisible, rolesAllow } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { RecordChange } from '../resource/define-resource.ts';
import type { Where } from '../store/query.ts';
import { readById } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { lockTemplates } from '../template/schedule.ts';
import { Job, type JobRow } from './job.ts';
import { isJobEnded, jobVerbs } from './job-states.ts';

/** The options of a change of a job. */
export interface JobChange {
  /** The version that the job must still have. @default any */
  readonly version?: number | undefined;
}

/**
 * Reads a job that the actor may change, after locking its template.
 * @throws HorariumError `not_found`, `denied`, or `precondition_failed` when it is at another version.
 */
export async function lockJob(tables: Tables, actor: Actor, id: number, { version }: JobChange = {}): Promise<JobRow> {
  const { runtemplate_id } = await readVisible(tables, actor, Job, id);
  await lockTemplates(tables, [runtemplate_id], 'wait');
  const job = await readVisible(tables, actor, Job, id);
  assertMayRun(actor, job.company_id);
  assertVersion(Job, job, version);
  return job;
}

/** Calls `onJobs` after the commit. @returns the job as it is stored now. */
export function announceChange(
  tables: Tables,
  id: number,
  options: { readonly onJobs?: (() => void) | undefined },
): Promise<JobRow> {
  tables.afterCommit(() => options.onJobs?.());
  return readById(tables, Job, id);
}

/** Whether the actor may run, cancel and report jobs of that company. */
export function mayRun(actor: Actor, companyId: number): boolean {
  return rolesAllow(actor, Job.permissions, 'create', companyId);
}

/** @throws HorariumError `denied` for an actor who may not run, report or cancel jobs of that company. */
export function assertMayRun(actor: Actor, companyId: number): void {
  if (!mayRun(actor, companyId))
    throw denied(`${actor.name} may not run, report or cancel jobs of company ${companyId}.`);
}

/** @throws HorariumError `conflict` for a job that has ended, which may no longer change. */
export function assertNotEnded({ id, state }: Pick<JobRow, 'id' | 'state'>): void {
  if (isJobEnded(state)) throw conflict(`Job ${id} has already ended: it ${jobVerbs[state]}.`);
}

/**
 * Prevents a change of the user that the jobs of a company run as while one of them runs: another company could get the
 * user, and that job read its files.
 * @throws HorariumError `conflict` that names the job.
 */
export async function keepUserOfRunningJobs(
  { before, after }: RecordChange<CompanyRow>,
  tables: Tables,
): Promise<void> {
  if (!before || !after || before.run_as === null || after.run_as === before.run_as) return;
  const where: Where<JobRow> = [
    ['company_id', '=', before.id],
    ['state', '=', 'running'],
  ];
  const [job] = await tables.of(Job).find({ where, columns: ['id'], limit: 1 });
  if (job) throw conflict(`run_as of ${before.code} cannot change while its job ${job.id} runs as ${before.run_as}.`);
}

/** Prevents the deletion of a job that has not ended. @throws HorariumError `conflict`: it must be cancelled first. */
export async function refuseLiveJobDeletion({ before, after }: RecordChange<JobRow>): Promise<void> {
  if (before && !after && !isJobEnded(before.state))
    throw conflict(`Job ${before.id} is ${before.state}: cancel it before it is deleted.`);
}
