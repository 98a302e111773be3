import type { Actor, Attempt, AttemptHandle, AttemptResult, Core, Executor, Milliseconds } from '@horarium/core';

/** An executor whose attempts last as many milliseconds as their first argument says, and which notes when each started. */
export class TimedExecutor implements Executor {
  readonly name = 'timed';
  readonly options = {};
  readonly #starts = new Map<number, (startedAt: Milliseconds) => void>();

  start({ jobId, arguments: [duration] }: Attempt): AttemptHandle {
    this.#starts.get(jobId)?.(performance.now());
    this.#starts.delete(jobId);
    const { promise, resolve } = Promise.withResolvers<AttemptResult>();
    const end = (): void => {
      clearTimeout(timer);
      resolve({ exitCode: 0, signal: null, timedOut: false, reason: null, finishedAt: Date.now(), files: [] });
    };
    const timer = setTimeout(end, Number(duration));
    return { done: promise, stop: end };
  }

  /** Resolves with the time at which the job starts, by `performance.now()`. It must not have started. */
  startOf(jobId: number): Promise<Milliseconds> {
    return new Promise((resolve) => this.#starts.set(jobId, resolve));
  }
}

/** Schedules a job for later and then for now, so that its start is watched before it can happen. */
export async function scheduleWatched(core: Core, actor: Actor, executor: TimedExecutor, runtemplate_id: number) {
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const { id } = await core.jobs.schedule(actor, { runtemplate_id, scheduled_at: later });
  const started = executor.startOf(id);
  await core.jobs.change(actor, id, { scheduled_at: 'now' });
  return { started, scheduledAt: performance.now() };
}
