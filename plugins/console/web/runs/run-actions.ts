import { request } from '../data/request.ts';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';
import type { AttemptRow, RunRow } from './run-records.ts';

/** What is to be run: another attempt at a Task, or a job of a template. */
export type Runnable = { readonly task_id: number } | { readonly runtemplate_id: number };

/** Requests a job now. @throws Problem */
export async function startJob(of: Runnable, environment: Readonly<Record<string, string>> = {}): Promise<AttemptRow> {
  const body = { ...of, scheduled_at: 'now', environment };
  return (await request<AttemptRow>('/job/', { method: 'POST', body })).value;
}

/** Requests a job now, and says so; Undo cancels it. */
export async function runAgain(of: Runnable, name: string, environment?: Readonly<Record<string, string>>) {
  const job = await startJob(of, environment);
  say(words.value.runs.willRun(name), () => cancelJob(job.id, null));
  return job;
}

/** Has a pending job start now. */
export async function startNow(jobId: number, name: string): Promise<void> {
  await request(`/job/${jobId}.json`, { method: 'POST', body: { scheduled_at: 'now' } });
  say(words.value.runs.startsNow(name));
}

/** Cancels a pending job, or stops a running one. @throws Problem */
export async function cancelJob(jobId: number, reason: string | null): Promise<void> {
  const body = { state: 'cancelled', ...(reason !== null && { reason }) };
  await request(`/job/${jobId}.json`, { method: 'POST', body });
}

/** Waives a Task. @throws Problem */
export async function waive(taskId: number, reason: string): Promise<RunRow> {
  return (await request<RunRow>(`/task/${taskId}/waive.json`, { method: 'POST', body: { reason } })).value;
}
