import { Job, type JobState, Task, type TaskState } from '@horarium/core';
import { required } from '#core/store/rows';
import { newRow } from '#core/store/table';
import type { ServiceWorld } from '../faults/service-world.ts';

/** A run that is over: its window, and how it went. Times are milliseconds since 1970. */
export interface PastRun {
  readonly start: number;
  /** @default an hour after it started */
  readonly end?: number;
  readonly state: TaskState;
  readonly reason?: string;
  /** How each attempt went, and why; each takes five seconds. @default none */
  readonly attempts?: readonly (readonly [state: JobState, reason: string | null])[];
}

const hour = 3_600_000;
const second = 1000;

/** Inserts runs of a template as if they had been. @returns the ids of their Tasks, in their order. */
export async function addPastRuns(
  world: ServiceWorld,
  template: number,
  runs: readonly PastRun[],
  company = 1,
): Promise<number[]> {
  const store = await world.openStore();
  return store.transaction(async (tables) => {
    const ids: number[] = [];
    for (const { start, end = start + hour, state, reason = null, attempts = [] } of runs) {
      const times = { window_start: start, window_end: end, deadline: end, ended_at: start + 60 * second };
      const owner = { runtemplate_id: template, company_id: company, created_at: start, updated_at: start };
      const [id] = await tables
        .of(Task)
        .insert([newRow(Task, { ...owner, ...times, state, reason, attempts: attempts.length })]);
      ids.push(required(id, 'Task'));
      for (const [index, [jobState, why]] of attempts.entries()) {
        const began = start + index * 20 * second;
        const spent = { scheduled_at: began, started_at: began, finished_at: began + 5 * second };
        const job = { ...owner, ...spent, app_id: 1, task_id: required(id, 'Task'), attempt: index + 1 };
        await tables.of(Job).insert([newRow(Job, { ...job, state: jobState, reason: why })]);
      }
    }
    return ids;
  });
}

/** Returns a zone in which it is about noon, so that the runs of the hours before are of today. */
export function noonZone(): string {
  const ahead = 12 - new Date().getUTCHours();
  return ahead > 0 ? `Etc/GMT-${ahead}` : `Etc/GMT+${-ahead}`;
}
