import type { CompanyRow } from '../company/company.ts';
import { conflict, denied, invalid, TooManyRequests } from '../errors.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { assertNotPaused, templateRef } from '../pause/pauses.ts';
import { assertVersion, findVisible, readVisible, rolesAllow } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { RecordChange } from '../resource/define-resource.ts';
import type { Where } from '../store/query.ts';
import { readById, required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { notRunnableReason, readOwners, type TemplateOwners } from '../template/disabled-reason.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { lockTemplates, type ScheduleRow } from '../template/schedule.ts';
import { Job, type JobRow } from './job.ts';
import { isJobEnded, jobVerbs } from './job-states.ts';
import { queueRoom } from './pending-jobs.ts';

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

/** A locked template whose jobs a person may request, and what decides about them. */
export interface RunnableTemplate {
  readonly template: RunTemplateRow;
  readonly owners: TemplateOwners;
  readonly schedule: ScheduleRow;
}

/** When a caller may try again to schedule a job of a company whose queue is full. */
const retryAfterFullQueue: Milliseconds = 10_000;

/**
 * Locks a template whose jobs a person requests. What is read under its lock stays true until the commit.
 * @param at when the jobs are due; `now` by the clock of the store.
 * @throws HorariumError `invalid` for a template that the actor may not see, `denied`, or `conflict` while it is inactive,
 *   disabled or paused.
 */
export async function lockRunnable(
  tables: Tables,
  actor: Actor,
  templateId: number,
  at: Instant | 'now',
): Promise<RunnableTemplate> {
  const [schedules, template, now] = await Promise.all([
    lockTemplates(tables, [templateId], 'wait'),
    visibleTemplate(tables, actor, templateId),
    tables.now(),
  ]);
  assertMayRun(actor, template.company_id);
  const owners = await readOwners(tables, template);
  const refusal = notRunnableReason(template, owners);
  if (refusal) throw conflict(refusal);
  await assertNotPaused(tables, templateRef(template), at === 'now' ? now : at);
  return { template, owners, schedule: required(schedules.get(templateId), `Schedule of RunTemplate ${templateId}`) };
}

/**
 * Limits the jobs of a company that wait when people request further ones. Those of windows count, but are never refused.
 * @param maxQueued how many may wait. @default no limit
 * @throws TooManyRequests when there is no room for that many.
 */
export async function assertRoomInQueue(
  tables: Tables,
  companyId: number,
  count: number,
  maxQueued: number | undefined,
): Promise<void> {
  if ((await queueRoom(tables, companyId, maxQueued)) >= count) return;
  throw new TooManyRequests(
    `Company ${companyId} may have ${maxQueued} jobs waiting, which is the limit: schedule further ones when some have run or were cancelled.`,
    retryAfterFullQueue,
  );
}

/** @throws HorariumError `invalid` when the actor may not see it, or it does not exist. */
export async function visibleTemplate(tables: Tables, actor: Actor, id: number): Promise<RunTemplateRow> {
  const template = await findVisible(tables, actor, RunTemplate, id);
  if (!template) throw invalid('Job', [{ field: 'runtemplate_id', message: `there is no RunTemplate ${id}` }]);
  return template;
}
