import { go } from '../app/router.ts';
import { request } from '../data/request.ts';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';
import { askReason } from './ask-reason.tsx';

/** What is to be run: another attempt at a Task, or a job of a template. */
export type Runnable = { readonly task_id: number } | { readonly runtemplate_id: number };

export interface RequestedJob {
  readonly id: number;
  /** Null = no window owes it. */
  readonly task_id: number | null;
}

/** Requests a job now. @throws Problem */
export async function startJob(
  of: Runnable,
  environment: Readonly<Record<string, string>> = {},
): Promise<RequestedJob> {
  const body = { ...of, scheduled_at: 'now', environment };
  return (await request<RequestedJob>('/job/', { method: 'POST', body })).value;
}

interface RunOptions {
  /** The values of the environment for this run alone. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether the view of the run is opened. */
  readonly opens?: boolean;
}

/** Requests another job now, and says so; Undo cancels it. @throws Problem */
export async function runAgain(of: Runnable, name: string, options: RunOptions = {}): Promise<RequestedJob> {
  return run(of, name, words.value.act.runsAgain(name), options);
}

/** Runs a template once now, beside its windows, and says so; Undo cancels it. @throws Problem */
export async function runNow(runtemplate_id: number, name: string, options: RunOptions = {}): Promise<RequestedJob> {
  return run({ runtemplate_id }, name, words.value.templates.started(name), options);
}

async function run(of: Runnable, name: string, sentence: string, { environment, opens = false }: RunOptions) {
  const { act } = words.value;
  const job = await startJob(of, environment);
  const view = job.task_id === null ? `/jobs/${job.id}` : `/runs/${job.task_id}`;
  if (opens) go(view);
  say(sentence, {
    job: job.id,
    view,
    undo: async () => {
      await cancel(job.id, act.takenBack);
      say(act.cancelled(name));
    },
  });
  return job;
}

/** Has a pending job start now. @throws Problem */
export async function startNow(jobId: number, name: string): Promise<void> {
  await request(`/job/${jobId}.json`, { method: 'POST', body: { scheduled_at: 'now' } });
  say(words.value.act.startsNow(name));
}

/** Asks for a reason, and cancels a pending job or stops a running one. @throws Problem */
export async function askAndCancel({ id, state }: { readonly id: number; readonly state: string }, name: string) {
  const { act } = words.value;
  const isRunning = state === 'running';
  const reason = await askReason({
    title: act.cancelTitle(name),
    content: isRunning ? act.cancelWhat : act.cancelPending,
    confirm: act.cancelConfirm,
    dismiss: isRunning ? act.keepRunning : act.keep,
  });
  if (reason === null) return;
  await cancel(id, reason);
  say(act.cancelled(name));
}

/** Asks for the reason, and waives a Task: it is no longer owed. @throws Problem */
export async function askAndWaive(taskId: number, name: string, isRunning: boolean): Promise<void> {
  const { act } = words.value;
  const reason = await askReason({
    title: act.waiveTitle(name),
    content: isRunning ? act.waiveRunning : act.waiveWhat,
    confirm: act.waiveConfirm,
    required: true,
  });
  if (reason === null) return;
  await waive(taskId, reason);
  say(act.waived(name));
}

/** Waives a Task. @throws Problem */
export async function waive(taskId: number, reason: string): Promise<void> {
  await request(`/task/${taskId}/waive.json`, { method: 'POST', body: { reason } });
}

async function cancel(jobId: number, reason: string): Promise<void> {
  const body = { state: 'cancelled', ...(reason !== '' && { reason }) };
  await request(`/job/${jobId}.json`, { method: 'POST', body });
}
