import { App } from '../app/app.ts';
import type { AuditedStore } from '../audit/audited-store.ts';
import { insertRecord } from '../audit/audited-table.ts';
import { conflict, type FieldError, invalid } from '../errors.ts';
import { throwIfInvalid } from '../records/input.ts';
import { Records, type RecordsContext } from '../records/records.ts';
import { asSaved, type Saved } from '../records/saved.ts';
import { hintAfter } from '../registry/did-you-mean.ts';
import { findVisible, readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Resource } from '../resource/define-resource.ts';
import type { Vault } from '../secret/vault.ts';
import type { Where } from '../store/query.ts';
import { readById, required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { isTaskEnded, Task, type TaskRow } from '../task/task.ts';
import { type AddressOwner, addressErrors } from '../template/address-errors.ts';
import { checkJobExecutor } from '../template/check-job-executor.ts';
import type { RunTemplateRow } from '../template/run-template.ts';
import { Job, type JobInput, type JobRow, type NewJob } from './job.ts';
import {
  announceChange,
  assertNotEnded,
  assertRoomInQueue,
  type JobChange,
  lockJob,
  lockRunnable,
  visibleTemplate,
} from './job-access.ts';
import { type ReadJob, readJobInput } from './job-input.ts';
import { type OutputPage, type OutputQuery, readOutput } from './job-output.ts';
import { jobVerbs } from './job-states.ts';
import { newJob } from './new-job.ts';
import { encryptOverrides, maskOverrides, type OverridesOwner, splitOverrides } from './overrides.ts';
import { cancelPendingJob, unblockOldest } from './pending-jobs.ts';
import { requestStop } from './stop-requests.ts';

export interface JobsOptions {
  readonly records: RecordsContext;
  readonly vault: Vault;
  /** How many jobs of one company may wait when a further one is scheduled ad hoc. @default no limit */
  readonly maxQueued?: number;
  /**
   * Called after the commit of a change that makes jobs due or asks them to stop.
   * @param mayStop false = it asks none to stop
   */
  onJobs?(mayStop?: boolean): void;
}

/** The template of a job, and its App. */
type JobOwner = AddressOwner & OverridesOwner;

/** The records of jobs, and what people do with them: schedule an ad hoc job, change a pending one, cancel one, read its output. */
export class Jobs extends Records<JobRow> {
  readonly #options: JobsOptions;
  readonly #store: AuditedStore;

  constructor(options: JobsOptions) {
    super(options.records.findResource(Job.name) as Resource<JobRow>, options.records);
    this.#options = options;
    this.#store = options.records.store;
  }

  /**
   * Schedules an ad hoc job of `runtemplate_id`, or another attempt at the Task `task_id`. Of a Task that has ended it is a
   * repetition: no deadline counts, jobs that are owed now start first, and the Task is fulfilled late once it has succeeded.
   * @throws HorariumError `invalid`, `not_found`, `denied`, or `conflict` when it cannot run (inactive, paused, overlap, a
   *   Task that is being repeated).
   */
  async schedule(actor: Actor, fields: NewJob): Promise<Saved<JobRow>> {
    return this.#store.transaction(actor, (tables) => this.scheduleIn(tables, actor, fields));
  }

  /** Schedules like `schedule`, in the caller's transaction. */
  async scheduleIn(tables: Tables, actor: Actor, fields: NewJob): Promise<Saved<JobRow>> {
    const { vault } = this.#options;
    const earlier = tables.warnings.length;
    const input = this.#readNewJob(fields);
    const unlocked = input.task_id === undefined ? null : await visibleTask(tables, actor, input.task_id);
    const templateId = unlocked?.runtemplate_id ?? required(input.runtemplate_id, 'run template of the job');
    if (input.runtemplate_id !== undefined && input.runtemplate_id !== templateId)
      throw invalid('Job', [
        { field: 'task_id', message: `Task ${unlocked?.id} is not of RunTemplate ${input.runtemplate_id}` },
      ]);
    const { scheduled_at: due = 'now' } = input;
    const { template, owners } = await lockRunnable(tables, actor, templateId, due);
    await assertRoomInQueue(tables, template.company_id, 1, this.#options.maxQueued);
    const now = await tables.now();
    const at = due === 'now' ? now : due;
    const task = unlocked && (await visibleTask(tables, actor, unlocked.id));
    const isRepetition = task !== null && isTaskEnded(task.state);
    if (isRepetition) await assertNotRepeated(tables, task.id);
    else if (!task && at <= now) await assertNoOverlap(tables, template);
    const plan = {
      taskId: task?.id ?? null,
      attempt: (task?.attempts ?? 0) + 1,
      trigger: 'adhoc' as const,
      at,
      caughtUp: isRepetition || task?.caught_up === true,
      launchedBy: actor.userId,
    };
    const executor = input.executor ?? template.executor;
    const owner = { template, app: owners.app };
    await this.#checkExecution(tables, owner, executor, Object.keys(input.environment ?? {}));
    const overrides = await encryptOverrides(tables, vault, owner, input.environment ?? {});
    const job = {
      ...newJob(template, plan),
      ...executedBy(executor, template),
      overrides,
      environment: maskOverrides(overrides),
    };
    tables.whenVisible(() => this.#options.onJobs?.(false));
    const row = await insertRecord(tables, Job, job);
    return asSaved(row, { created: true, warnings: tables.warnings.slice(earlier) });
  }

  /** Changes the time, the one-off environment or the executor of a pending job, or cancels it. */
  async change(actor: Actor, id: number, fields: JobInput, change: JobChange = {}): Promise<JobRow> {
    return this.#store.transaction(actor, (tables) => this.changeIn(tables, actor, id, fields, change));
  }

  /** Changes like `change`, in the caller's transaction. */
  async changeIn(tables: Tables, actor: Actor, id: number, fields: JobInput, change: JobChange = {}): Promise<JobRow> {
    const input = this.#readChange(fields);
    if (input.state === 'cancelled') return this.cancelIn(tables, actor, id, null, change);
    const job = await lockJob(tables, actor, id, change);
    assertNotEnded(job);
    if (job.state !== 'scheduled') throw conflict(`Job ${id} is ${job.state}: only a pending job can be changed.`);
    assertSameTemplateAndTask(job, input);
    const template = await visibleTemplate(tables, actor, job.runtemplate_id);
    const at = input.scheduled_at === 'now' ? await tables.now() : (input.scheduled_at ?? job.scheduled_at);
    const changesExecution = input.executor !== undefined || input.environment !== undefined;
    const execution = changesExecution ? await this.#changedExecution(tables, template, job, input) : {};
    const set = { scheduled_at: at, queue_at: at, ...execution };
    await tables.of(Job).update([{ row: job, set }]);
    await unblockOldest(tables, [job.runtemplate_id]);
    return announceChange(tables, id, this.#options);
  }

  /**
   * Cancels a pending job at once, and its Task with it; asks a running one to stop, which is cancelled when it has
   * stopped.
   * @throws HorariumError `conflict` when it has ended.
   */
  async cancel(actor: Actor, id: number, reason: string | null = null, change: JobChange = {}): Promise<JobRow> {
    const cancel = (tables: Tables) => this.cancelIn(tables, actor, id, reason, change);
    return this.#store.transaction(actor, cancel, { beyondQuota: true });
  }

  /** Cancels like `cancel`, in the caller's transaction. */
  async cancelIn(
    tables: Tables,
    actor: Actor,
    id: number,
    reason: string | null,
    change: JobChange = {},
  ): Promise<JobRow> {
    const by = `cancelled by ${actor.name}`;
    const job = await lockJob(tables, actor, id, change);
    assertNotEnded(job);
    if (job.state === 'running') await requestStop(tables, [job], reason ?? by);
    else await cancelPendingJob(tables, job, by, reason);
    return announceChange(tables, id, this.#options);
  }

  /** Reads a page of a job's output. @throws HorariumError `not_found`. */
  async output(actor: Actor, id: number, query: OutputQuery = {}): Promise<OutputPage> {
    return this.#store.read(async (tables) => readOutput(tables, await readVisible(tables, actor, Job, id), query));
  }

  /** Returns the changed executor and environment of a pending job. @throws HorariumError `invalid`. */
  async #changedExecution(
    tables: Tables,
    template: RunTemplateRow,
    { overrides: stored, ...job }: JobRow,
    { executor = job.executor, environment }: ReadJob,
  ): Promise<Partial<JobRow>> {
    const owner = { template, app: await readById(tables, App, template.app_id) };
    await this.#checkExecution(tables, owner, executor, Object.keys(environment ?? stored));
    const executed = executedBy(executor, template);
    if (!environment) return executed;
    const given = await encryptOverrides(tables, this.#options.vault, owner, environment, stored);
    const overrides = { ...splitOverrides(stored).event, ...given };
    return { ...executed, overrides, environment: maskOverrides(overrides) };
  }

  /** @throws HorariumError `invalid` for an executor that the job may not have, or values that would move its request. */
  async #checkExecution(tables: Tables, owner: JobOwner, name: string, keys: readonly string[]): Promise<void> {
    const { executors } = this.#options.records.service;
    checkJobExecutor(tables, executors, owner, name);
    const own = { keys, field: 'environment', executor: name };
    throwIfInvalid('Job', await addressErrors(tables, executors, owner, own));
  }

  #readNewJob(fields: NewJob): ReadJob {
    const errors: FieldError[] = [];
    const input = readJobInput(fields, errors);
    if (input.state !== undefined) errors.push({ field: 'state', message: 'state of a new job is set by the service' });
    if (input.runtemplate_id === undefined && input.task_id === undefined && errors.length === 0)
      errors.push({ field: 'runtemplate_id', message: 'runtemplate_id is required' });
    this.#checkExecutor(input, errors);
    throwIfInvalid('Job', errors);
    return input;
  }

  #readChange(fields: JobInput): ReadJob {
    const errors: FieldError[] = [];
    const input = readJobInput(fields, errors);
    this.#checkExecutor(input, errors);
    if (input.state !== undefined && input.state !== 'cancelled')
      errors.push({ field: 'state', message: 'state can only be set to cancelled, or to running by a claim' });
    throwIfInvalid('Job', errors);
    return input;
  }

  #checkExecutor({ executor }: ReadJob, errors: FieldError[]): void {
    const { executors } = this.#options.records.service;
    if (typeof executor !== 'string' || executors.has(executor)) return;
    const names = [...executors.keys()];
    const message = `executor must be one of ${names.join(', ')}, not ${executor}${hintAfter(executor, names)}`;
    errors.push({ field: 'executor', message });
  }
}

/** Returns the executor of a job and its placement, which is that of the template with the same executor alone. */
function executedBy(executor: string, template: RunTemplateRow): Pick<JobRow, 'executor' | 'placement'> {
  return { executor, placement: executor === template.executor ? template.placement : null };
}

async function visibleTask(tables: Tables, actor: Actor, id: number): Promise<TaskRow> {
  const task = await findVisible(tables, actor, Task, id);
  if (!task) throw invalid('Job', [{ field: 'task_id', message: `there is no Task ${id}` }]);
  return task;
}

// What the assertions below are about is read under the template's lock, so their results stay true until the commit.

/** Rejects a second repetition of an ended Task. */
async function assertNotRepeated(tables: Tables, taskId: number): Promise<void> {
  const live: Where<JobRow> = [
    ['task_id', '=', taskId],
    ['state', 'in', ['scheduled', 'running']],
  ];
  const [job] = await tables.of(Job).find({ where: live, limit: 1, columns: ['id', 'state'] });
  if (job) throw conflict(`Task ${taskId} is being repeated: its job ${job.id} ${jobVerbs[job.state]}.`);
}

/**
 * Rejects an ad hoc job that is due at once while another job of the template runs. A job for later is accepted, because
 * what will run then is not known yet.
 */
async function assertNoOverlap(tables: Tables, template: RunTemplateRow): Promise<void> {
  if (template.overlap !== 'forbid') return;
  const running = [
    ['runtemplate_id', '=', template.id],
    ['state', '=', 'running'],
  ] as const;
  const [other] = await tables.of(Job).find({ where: running, limit: 1, columns: ['id'] });
  if (other) throw conflict(`Job ${other.id} of RunTemplate ${template.id} is running, and its overlap is forbid.`);
}

/** Rejects another template or Task for an existing job. */
function assertSameTemplateAndTask(job: JobRow, input: ReadJob): void {
  const changed = (['runtemplate_id', 'task_id'] as const).filter(
    (field) => input[field] !== undefined && input[field] !== job[field],
  );
  throwIfInvalid(
    'Job',
    changed.map((field) => ({ field, message: `${field} cannot be changed once it is set` })),
  );
}
