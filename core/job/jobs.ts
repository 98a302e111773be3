import { requestStop } from '../attempt/claim-jobs.ts';
import type { AuditedStore, TransactionHooks } from '../audit/audited-store.ts';
import { asStored } from '../audit/audited-table.ts';
import { conflict, type FieldError, invalid } from '../errors.ts';
import { newJob } from '../job/new-job.ts';
import { throwIfInvalid } from '../records/input.ts';
import type { Actor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { isTaskEnded, Task, type TaskRow } from '../task/task.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { lockTemplates } from '../template/schedule.ts';
import { unblockNext } from './blocked-jobs.ts';
import { cancelPendingJob } from './cancel-pending-job.ts';
import { Job, type JobRow } from './job.ts';
import { JobAccess, type JobAccessOptions, type JobChange, refuseEnded } from './job-access.ts';
import { type JobInput, readJobInput } from './job-input.ts';
import { maskOverrides } from './overrides.ts';
import { type OutputPage, type OutputQuery, readOutput } from './read-output.ts';

export interface JobsOptions extends JobAccessOptions {
  readonly store: AuditedStore;
  readonly executors: readonly string[];
  /** Why jobs of this template cannot be made now, in a sentence; null = they can. */
  disabledReason(tables: Tables, template: RunTemplateRow): Promise<string | null>;
  /** One-off values as they are stored: checked against what the App declares, secrets encrypted. */
  overrides(
    tables: Tables,
    template: RunTemplateRow,
    given: Readonly<Record<string, string>>,
    stored?: Readonly<Record<string, string>>,
  ): Promise<Record<string, string>>;
  /** Called after jobs were committed that may start, or stop, now. */
  onJobs?(): void;
}

/** What people do with jobs: make them ad hoc, change those that wait, cancel them, read what they wrote. */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #access: JobAccess;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#access = new JobAccess(options);
  }

  /**
   * Makes an ad hoc job of `runtemplate_id`, or another attempt of the Task `task_id`.
   * @throws HorariumError `invalid`, `not_found`, `denied`, or `conflict` when it cannot run (inactive, overlap).
   */
  async schedule(
    actor: Actor,
    given: Readonly<Record<string, unknown>>,
    hooks?: TransactionHooks<JobRow>,
  ): Promise<JobRow> {
    const errors: FieldError[] = [];
    const input = readJobInput(given, errors);
    if (input.state !== undefined) errors.push({ field: 'state', message: 'state of a new job is set by the service' });
    if (input.runtemplate_id === undefined && input.task_id === undefined && errors.length === 0)
      errors.push({ field: 'runtemplate_id', message: 'runtemplate_id is required' });
    this.#checkExecutor(input, errors);
    throwIfInvalid('Job', errors);
    return this.#options.store.transaction(
      actor,
      async (tables) => {
        const task = input.task_id === undefined ? null : await this.#task(tables, actor, input.task_id);
        const templateId = task?.runtemplate_id ?? (input.runtemplate_id as number);
        if (input.runtemplate_id !== undefined && input.runtemplate_id !== templateId)
          throw invalid('Job', [
            { field: 'task_id', message: `Task ${task?.id} is not of RunTemplate ${input.runtemplate_id}` },
          ]);
        const [, template, now] = await Promise.all([
          lockTemplates(tables, [templateId], 'wait'),
          this.#template(tables, actor, templateId),
          tables.now(),
        ]);
        const at = input.scheduled_at === undefined || input.scheduled_at === 'now' ? now : input.scheduled_at;
        await this.#permit(tables, actor, template, task, at <= now);
        const plan = { taskId: task?.id ?? null, attempt: (task?.attempts ?? 0) + 1, trigger: 'adhoc' as const, at };
        const overrides = await this.#options.overrides(tables, template, input.environment ?? {});
        const job = {
          ...newJob(template, plan),
          launched_by: actor.userId,
          executor: input.executor ?? template.executor,
          overrides,
          environment: maskOverrides(overrides),
        };
        const [id] = await tables.of(Job).insert([job]);
        tables.afterCommit(() => this.#options.onJobs?.());
        return asStored(Job, undefined, { ...job, id: id as number }, now);
      },
      hooks,
    );
  }

  /** Changes when, with what and by which executor a job that has not started will run. */
  async change(
    actor: Actor,
    id: number,
    given: Readonly<Record<string, unknown>>,
    hooks: JobChange = {},
  ): Promise<JobRow> {
    const errors: FieldError[] = [];
    const input = readJobInput(given, errors);
    this.#checkExecutor(input, errors);
    if (input.state !== undefined && input.state !== 'cancelled')
      errors.push({
        field: 'state',
        message: 'state can only be set to cancelled, or to running by whoever claims it',
      });
    throwIfInvalid('Job', errors);
    if (input.state === 'cancelled') return this.cancel(actor, id, null, hooks);
    return this.#options.store.transaction(
      actor,
      async (tables) => {
        const job = await this.#access.mine(tables, actor, id, hooks);
        refuseEnded(job);
        if (job.state !== 'scheduled')
          throw conflict(`Job ${id} is ${job.state}: only a job that waits can be changed.`);
        refuseMoved(job, input);
        const template = await this.#template(tables, actor, job.runtemplate_id);
        const at = input.scheduled_at === 'now' ? await tables.now() : (input.scheduled_at ?? job.scheduled_at);
        const stored = job.overrides;
        const overrides =
          input.environment && (await this.#options.overrides(tables, template, input.environment, stored));
        const set = {
          scheduled_at: at,
          queue_at: at,
          executor: input.executor ?? job.executor,
          ...(overrides && { overrides, environment: maskOverrides(overrides) }),
        };
        await tables.of(Job).update([{ row: job, set }]);
        await unblockNext(tables, [job.runtemplate_id]);
        return this.#done(tables, id);
      },
      hooks,
    );
  }

  /**
   * Cancels a job: one that waits at once, with its Task; a running one is told to stop and is cancelled when it has.
   * @throws HorariumError `conflict` when it has ended.
   */
  async cancel(actor: Actor, id: number, why: string | null = null, hooks: JobChange = {}): Promise<JobRow> {
    const by = `cancelled by ${actor.name}`;
    return this.#options.store.transaction(
      actor,
      async (tables) => {
        const job = await this.#access.mine(tables, actor, id, hooks);
        refuseEnded(job);
        if (job.state === 'running') await requestStop(tables, [job], why ?? by);
        else await cancelPendingJob(tables, job, by, why);
        return this.#done(tables, id);
      },
      hooks,
    );
  }

  /** What a job wrote after the piece with that number, some pieces at a time. */
  async output(actor: Actor, id: number, query: OutputQuery = {}): Promise<OutputPage> {
    return this.#options.store.read(async (tables) =>
      readOutput(tables, await this.#access.visible(tables, actor, id), query),
    );
  }

  #checkExecutor(input: JobInput, errors: FieldError[]): void {
    const { executor } = input;
    if (typeof executor !== 'string' || this.#options.executors.includes(executor)) return;
    const known = this.#options.executors.join(', ');
    errors.push({ field: 'executor', message: `executor must be one of ${known}, not ${executor}` });
  }

  /** What is read here is read under the template's lock. Of a job for later nobody knows yet what will be running. */
  async #permit(tables: Tables, actor: Actor, template: RunTemplateRow, task: TaskRow | null, atOnce: boolean) {
    this.#access.allow(actor, template.company_id);
    if (!template.active) throw conflict(`RunTemplate ${template.id} is not active.`);
    const obstacle = await this.#options.disabledReason(tables, template);
    if (obstacle) throw conflict(obstacle);
    if (task) await this.#permitAttempt(tables, task.id);
    if (task || !atOnce || template.overlap !== 'forbid') return;
    const running = [
      ['runtemplate_id', '=', template.id],
      ['state', '=', 'running'],
    ] as const;
    const [other] = await tables.of(Job).find({ where: running, limit: 1, columns: ['id'] });
    if (other) throw conflict(`Job ${other.id} of RunTemplate ${template.id} is running, and its overlap is forbid.`);
  }

  /** Reads the Task again, now that nobody else can change it. */
  async #permitAttempt(tables: Tables, taskId: number): Promise<void> {
    const [task] = await tables.of(Task).find({ where: [['id', '=', taskId]] });
    if (!task || isTaskEnded(task.state))
      throw conflict(`Task ${taskId} has already ended${task ? `: it is ${task.state}` : ''}.`);
  }

  async #template(tables: Tables, actor: Actor, id: number): Promise<RunTemplateRow> {
    const [template] = await tables
      .of(RunTemplate)
      .find({ where: [['id', '=', id], ...this.#access.seen(actor, RunTemplate)] });
    if (!template) throw invalid('Job', [{ field: 'runtemplate_id', message: `there is no RunTemplate ${id}` }]);
    return template;
  }

  async #task(tables: Tables, actor: Actor, id: number): Promise<TaskRow> {
    const [task] = await tables.of(Task).find({ where: [['id', '=', id], ...this.#access.seen(actor, Task)] });
    if (!task) throw invalid('Job', [{ field: 'task_id', message: `there is no Task ${id}` }]);
    return task;
  }

  async #done(tables: Tables, id: number): Promise<JobRow> {
    tables.afterCommit(() => this.#options.onJobs?.());
    const [job] = await tables.of(Job).find({ where: [['id', '=', id]] });
    return job as JobRow;
  }
}

/** What a job is an attempt at is settled when it is made. */
function refuseMoved(job: JobRow, input: JobInput): void {
  const moved = (['runtemplate_id', 'task_id'] as const).filter(
    (field) => input[field] !== undefined && input[field] !== job[field],
  );
  throwIfInvalid(
    'Job',
    moved.map((field) => ({ field, message: `${field} cannot be changed once it is set` })),
  );
}
