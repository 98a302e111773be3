import {
  type AuditEntry,
  AuditLog,
  allResources,
  Job,
  type JobRow,
  RunTemplate,
  type RunTemplateRow,
  type Store,
  Task,
  type TaskRow,
  WorkerLease,
} from '@horarium/core';
import { Schedule, type ScheduleRow } from '#core/template/schedule';
import type { WorkerLeaseRow } from '#core/worker/lease/worker-lease';

/** The content of the store when a run has ended. */
export interface FinalState {
  readonly now: number;
  readonly templates: readonly RunTemplateRow[];
  readonly tasks: readonly TaskRow[];
  readonly jobs: readonly JobRow[];
  readonly schedules: readonly ScheduleRow[];
  readonly workers: readonly WorkerLeaseRow[];
  readonly log: readonly AuditEntry[];
  /** All rows of all audited tables, by the name of the resource. */
  readonly records: ReadonlyMap<string, readonly object[]>;
}

export function readFinalState(store: Store): Promise<FinalState> {
  return store.transaction(
    async (tables) => {
      const order = [['id', 'asc']] as const;
      const records = new Map<string, readonly object[]>();
      for (const resource of allResources.filter(({ audited }) => audited))
        records.set(resource.name, await tables.of(resource).find({ order }));
      return {
        now: await tables.now(),
        templates: records.get(RunTemplate.name) as RunTemplateRow[],
        tasks: records.get(Task.name) as TaskRow[],
        jobs: records.get(Job.name) as JobRow[],
        schedules: await tables.of(Schedule).find({ order }),
        workers: await tables.of(WorkerLease).find({ order }),
        log: await tables.of(AuditLog).find({ order }),
        records,
      };
    },
    { readOnly: true },
  );
}

/** Collects violated invariants, so that one run reports all of them. */
export class Findings {
  readonly violations: string[] = [];

  check(holds: boolean, sentence: () => string): void {
    if (!holds) this.violations.push(sentence());
  }
}

export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

export function isoTime(instant: number | null): string {
  return instant === null ? 'never' : new Date(instant).toISOString();
}
