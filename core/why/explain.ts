import { Company } from '../company/company.ts';
import { HorariumError } from '../errors.ts';
import { Job, type JobRow } from '../job/job.ts';
import { isJobEnded, jobVerbs } from '../job/job-states.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import { readById } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { isTaskEnded, Task, type TaskRow, taskVerbs } from '../task/task.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { requireZone } from '../time/zone.ts';
import { agentOf } from '../worker/lease/agent-presence.ts';
import type { ExplainedKind, Explanation, ExplanationRequest, RunCondition } from './explanation.ts';
import { deadlineCondition, type LiveJob, pendingConditions, runningOrNextJob, runningText } from './job-conditions.ts';
import { sinceSuccess, type UnmetRun } from './since-success.ts';
import { basicConditions, windowConditions, workerCondition } from './template-conditions.ts';
import { metCondition, timeText, unmetCondition, type WhyContext } from './why-context.ts';

/** What an answer is made of; its subject and the time are added. */
interface Answer {
  readonly template: RunTemplateRow;
  readonly sentence: string;
  readonly conditions: readonly RunCondition[];
  /** Null = it did not fail, and is not late. */
  readonly unmetRun: UnmetRun | null;
}

type ServiceContext = Pick<WhyContext, 'timezone' | 'external' | 'calendarRules' | 'executors'>;

/**
 * Tells why a template, a Task or a job runs or not: the chain of conditions, and after a run that did not go well what
 * has changed since the last success.
 * @throws HorariumError `not_found`, also for a record that the actor may not see, `bad_request` for a zone that is none.
 */
export async function explain(
  tables: Tables,
  actor: Actor,
  request: ExplanationRequest,
  service: ServiceContext,
): Promise<Explanation> {
  const { kind, id, timezone = service.timezone } = request;
  requireZone(timezone);
  const now = await tables.now();
  const context = { ...service, timezone, tables, actor, now };
  const { template, sentence, conditions, unmetRun } = await answers[kind](context, id);
  return {
    kind,
    id,
    runtemplate_id: template.id,
    company_id: template.company_id,
    time: now,
    timezone,
    sentence,
    conditions,
    since_success: unmetRun && (await sinceSuccess(context, unmetRun)),
  };
}

/**
 * Explains several records as `explain` does, together, because PostgreSQL answers statements that are sent at once faster. Those
 * that the actor may not see are left out.
 */
export async function explainVisible(
  tables: Tables,
  actor: Actor,
  requests: readonly ExplanationRequest[],
  service: ServiceContext,
): Promise<Explanation[]> {
  const explaining = requests.map(async (request) => {
    await yieldToEventLoop();
    return explain(tables, actor, request, service);
  });
  // All have ended before the transaction does, also where one fails.
  return (await Promise.allSettled(explaining)).flatMap((each) => {
    if (each.status === 'fulfilled') return each.value;
    if (each.reason instanceof HorariumError && each.reason.code === 'not_found') return [];
    throw each.reason;
  });
}

const answers = {
  async RunTemplate(context: WhyContext, id: number): Promise<Answer> {
    const { tables, actor } = context;
    const template = await readVisible(tables, actor, RunTemplate, id);
    const job = await runningOrNextJob(context, ['runtemplate_id', '=', id]);
    const live = job ? await liveConditions(context, job) : [];
    const windows = await windowConditions(context, template);
    // The lack of further windows does not keep a job from running that is pending.
    const relevant = windows.filter(({ met, name }) => met || name === 'tasks_made' || !job);
    const conditions = [
      ...(await basicConditions(context, template)),
      ...relevant,
      ...(live.some(({ name }) => name === 'worker') ? [] : [await workerCondition(context, template)]),
      ...live,
    ];
    const subject = await nameOf(context, template);
    const now =
      job?.state === 'running' ? `${subject}: ${runningText(context, job)}` : templateSentence(subject, conditions);
    const last = await lastUnmetRun(context, template);
    return { template, sentence: last ? `${now}; ${last.text}` : now, conditions, unmetRun: last?.run ?? null };
  },

  async Task(context: WhyContext, id: number): Promise<Answer> {
    const { tables, actor } = context;
    const task = await readVisible(tables, actor, Task, id);
    const template = await readById(tables, RunTemplate, task.runtemplate_id);
    const subject = `Task ${id} of ${await nameOf(context, template)}, window ${timeText(context, task.window_start)},`;
    const unmetRun = await unmetRunOfTask(context, template, task);
    const job = await runningOrNextJob(context, ['task_id', '=', id]);
    if (isTaskEnded(task.state)) {
      const end = `${subject} ${await taskEnd(context, task)}`;
      return { template, unmetRun, ...(await repetitionOf(context, { template, task, job, end })) };
    }
    const conditions = await taskConditions(context, template, task, job);
    const sentence =
      job?.state === 'running'
        ? `${subject} is running: ${runningText(context, job)}`
        : waitingSentence(subject, conditions);
    return { template, sentence, conditions, unmetRun };
  },

  async Job(context: WhyContext, id: number): Promise<Answer> {
    const { tables, actor, now } = context;
    const job = await readVisible(tables, actor, Job, id);
    const template = await readById(tables, RunTemplate, job.runtemplate_id);
    const task = job.task_id === null ? null : await readById(tables, Task, job.task_id);
    const subject = `job ${id} of ${await nameOf(context, template)}`;
    if (job.state === 'running')
      return { template, sentence: `${subject}: ${runningText(context, job)}`, conditions: [], unmetRun: null };
    if (isJobEnded(job.state)) {
      const sentence = `${subject} ${jobEnd(context, job)}`;
      const ended = job.finished_at ?? now;
      const unmetRun = { template, task, jobId: job.started_at === null ? null : id, ended, until: ended, late: false };
      return { template, sentence, conditions: [], unmetRun: failedStates.has(job.state) ? unmetRun : null };
    }
    const conditions = [
      ...(await basicConditions(context, template)),
      ...(task ? taskLimits(context, task) : []),
      ...(await pendingConditions(context, job)),
    ];
    return { template, sentence: waitingSentence(subject, conditions), conditions, unmetRun: null };
  },
} satisfies Readonly<Record<ExplainedKind, (context: WhyContext, id: number) => Promise<Answer>>>;

/** Says how and why a Task has ended, and on which agent it was fulfilled. */
async function taskEnd(context: WhyContext, task: TaskRow): Promise<string> {
  const { state, ended_at, fulfilled_at, fulfilled_by_job_id: id, reason } = task;
  const [job] =
    id === null ? [] : await context.tables.of(Job).find({ where: [['id', '=', id]], columns: ['id', 'worker'] });
  return endText(context, taskVerbs[state], { at: fulfilled_at ?? ended_at, worker: job?.worker ?? null, reason });
}

/** Says how and why a job has ended, and on which agent. */
function jobEnd(context: WhyContext, { state, finished_at: at, worker, reason }: JobRow): string {
  return endText(context, jobVerbs[state], { at, worker, reason });
}

function endText(
  context: WhyContext,
  end: string,
  { at, worker, reason }: { readonly at: Instant | null } & Pick<JobRow, 'worker' | 'reason'>,
): string {
  const agent = agentOf(worker);
  const place = agent === null || reason?.includes(`agent ${agent}`) ? '' : ` on agent ${agent}`;
  return `${end}${at === null ? '' : ` at ${timeText(context, at)}`}${place}${reason === null ? '' : `: ${reason}`}`;
}

/** The states of a job that did not go well; a cancelled one was ended on purpose. */
const failedStates: ReadonlySet<JobRow['state']> = new Set(['failed', 'timed_out', 'lost', 'skipped']);

/** The states of a Task that did not go well. */
const unmetTaskStates: ReadonlySet<TaskRow['state']> = new Set(['failed', 'missed', 'fulfilled_late']);

/** Lists the conditions of a Task that has not ended. @param job the one that runs or starts next. */
async function taskConditions(
  context: WhyContext,
  template: RunTemplateRow,
  task: TaskRow,
  job: LiveJob | undefined,
): Promise<RunCondition[]> {
  const first = [...(await basicConditions(context, template)), owedCondition(task)];
  const used = `${task.attempts} of ${task.max_attempts} attempts ${task.attempts === 1 ? 'has' : 'have'} started`;
  if (!job) return [...first, unmetCondition('attempts', `${used}, and none is scheduled`)];
  const attempts = metCondition('attempts', used);
  if (job.state === 'running') return [...first, attempts];
  return [...first, attempts, deadlineCondition(context, task), ...(await pendingConditions(context, job))];
}

/** Tells of the repetition of a Task that has ended, if a person has requested one that has not ended yet. */
async function repetitionOf(
  context: WhyContext,
  { template, task, job, end }: { template: RunTemplateRow; task: TaskRow; job: LiveJob | undefined; end: string },
): Promise<Pick<Answer, 'sentence' | 'conditions'>> {
  if (job?.state === 'running')
    return { sentence: `${end}; it is being repeated: ${runningText(context, job)}`, conditions: [] };
  if (!job && task.state !== 'cancelled') return { sentence: end, conditions: [] };
  const basic = await basicConditions(context, template);
  if (!job) return { sentence: end, conditions: [owedCondition(task), ...basic] };
  const conditions = [...basic, ...taskLimits(context, task), ...(await pendingConditions(context, job))];
  return { sentence: waitingSentence(`${end}; its repetition`, conditions), conditions };
}

/** Lists the conditions of the job that a template runs next, and of its Task. */
async function liveConditions(context: WhyContext, job: LiveJob): Promise<RunCondition[]> {
  if (job.state === 'running') return [];
  const task = job.task_id === null ? null : await readById(context.tables, Task, job.task_id);
  const limits = task ? taskLimits(context, task).filter(({ name }) => name !== 'owed') : [];
  return [...limits, ...(await pendingConditions(context, job))];
}

/** Lists what limits further attempts at a Task; a repetition of one that has ended has no limit. */
function taskLimits(context: WhyContext, task: TaskRow): RunCondition[] {
  if (isTaskEnded(task.state))
    return [metCondition('owed', `the job repeats the Task, which ${taskVerbs[task.state]}`)];
  return [owedCondition(task), deadlineCondition(context, task)];
}

function owedCondition({ state, reason, waived_reason }: TaskRow): RunCondition {
  if (state === 'cancelled') return unmetCondition('owed', `the Task is not owed: ${reason ?? 'it was cancelled'}`);
  if (waived_reason !== null) return unmetCondition('owed', `the Task is no longer owed: ${waived_reason}`);
  return metCondition('owed', 'the Task is owed');
}

async function nameOf({ tables }: WhyContext, { name, company_id }: RunTemplateRow): Promise<string> {
  return `${name} (${(await readById(tables, Company, company_id)).name})`;
}

function firstUnmet(conditions: readonly RunCondition[]): RunCondition | undefined {
  return conditions.find((condition) => !condition.met);
}

function templateSentence(subject: string, conditions: readonly RunCondition[]): string {
  const hindrance = firstUnmet(conditions);
  if (hindrance?.name === 'due') return `${subject} runs next: ${hindrance.text}`;
  if (hindrance) return `${subject} does not run: ${hindrance.text}`;
  const last = conditions.findLast(({ name }) => name === 'window' || name === 'slots');
  return `${subject} runs next: ${last?.text ?? 'nothing keeps its jobs from running'}`;
}

function waitingSentence(subject: string, conditions: readonly RunCondition[]): string {
  const hindrance = firstUnmet(conditions) ?? conditions.at(-1);
  return `${subject} waits: ${hindrance?.text ?? 'nothing holds it up'}`;
}

/** How many of the newest Tasks of a template are looked at for the last that has ended. */
const maxNewest = 20;

/** Finds the run of a template that ended last, and says how; null = it went well. */
async function lastUnmetRun(
  context: WhyContext,
  template: RunTemplateRow,
): Promise<{ readonly run: UnmetRun; readonly text: string } | null> {
  const { tables } = context;
  const tasks = await tables.of(Task).find({
    where: [['runtemplate_id', '=', template.id]],
    order: [['window_start', 'desc']],
    limit: maxNewest,
  });
  const task = tasks.find(({ state }) => isTaskEnded(state) && state !== 'cancelled');
  if (task) {
    const run = await unmetRunOfTask(context, template, task);
    return (
      run && { run: { ...run, until: context.now }, text: `its last Task, ${task.id}, ${await taskEnd(context, task)}` }
    );
  }
  const [job] = await tables.of(Job).find({
    where: [
      ['runtemplate_id', '=', template.id],
      ['state', 'in', ['succeeded', 'failed', 'timed_out', 'lost']],
    ],
    order: [['id', 'desc']],
    limit: 1,
  });
  if (!job || job.state === 'succeeded') return null;
  const ended = job.finished_at ?? context.now;
  const run = { template, task: null, jobId: job.id, ended, until: context.now, late: false };
  return { run, text: `its last job, ${job.id}, ${jobEnd(context, job)}` };
}

/** Returns what is to be explainedKinds of a Task that failed, was missed or is late; null = it went well so far. */
async function unmetRunOfTask(context: WhyContext, template: RunTemplateRow, task: TaskRow): Promise<UnmetRun | null> {
  const isOverdue = !isTaskEnded(task.state) && task.deadline < context.now;
  if (!unmetTaskStates.has(task.state) && !isOverdue) return null;
  if (task.backfilled && task.state !== 'failed') return null;
  const [attempt] = await context.tables.of(Job).find({
    where: [
      ['task_id', '=', task.id],
      ['started_at', '!=', null],
      // Later attempts are repetitions.
      ...(task.ended_at === null ? [] : ([['finished_at', '<=', task.ended_at]] as const)),
    ],
    order: [['id', 'desc']],
    limit: 1,
    columns: ['id'],
  });
  const ended: Instant = task.ended_at ?? context.now;
  return { template, task, jobId: attempt?.id ?? null, ended, until: ended, late: task.state === 'fulfilled_late' };
}
