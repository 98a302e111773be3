import type { ChangedRows, ChangeObserver, RowChange } from '../audit/observed-changes.ts';
import { Job, type JobRow } from '../job/job.ts';
import { isJobEnded } from '../job/job-states.ts';
import type { Where } from '../store/query.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { type AnyRow, newRow } from '../store/table.ts';
import { isTaskEnded, Task, type TaskRow } from '../task/task.ts';
import { Event, type EventRow } from './event.ts';
import { EventRule, type EventRuleRow } from './rule/event-rule.ts';
import { listensTo } from './rule/match-rules.ts';

/** The event of each end of a job; a job that was cancelled or skipped causes none. */
const jobEvents: Partial<Record<JobRow['state'], string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  timed_out: 'failed',
  lost: 'failed',
};

/** The event of each end of a Task; one that was cancelled causes none. */
const taskEvents: Partial<Record<TaskRow['state'], string>> = {
  fulfilled: 'task_fulfilled',
  fulfilled_late: 'task_fulfilled',
  failed: 'task_failed',
  missed: 'task_missed',
};

type Transition =
  | { readonly kind: 'job'; readonly event: string; readonly row: JobRow }
  | { readonly kind: 'task'; readonly event: string; readonly row: TaskRow };

/**
 * Writes an event for each job and Task that ends while an enabled rule listens to its template, in the transaction of that
 * end.
 * @param onEvents called after the commit of such events
 */
export function transitionEvents(onEvents: () => void = () => undefined): ChangeObserver {
  return {
    tables: [Job, Task],
    async observe(tables, changed) {
      const transitions = transitionsOf(changed);
      if (transitions.length === 0) return;
      const rules = await listeningRules(tables, transitions);
      const awaited = transitions.filter(({ row, event }) =>
        rules.get(row.runtemplate_id)?.some((rule) => listensTo(rule, event)),
      );
      if (awaited.length === 0) return;
      const jobs = changed(Job).flatMap(({ after }) => after ?? []);
      await tables.of(Event).insert(await newEvents(tables, awaited, jobs));
      tables.afterCommit(onEvents);
    },
  };
}

function transitionsOf(changed: ChangedRows): Transition[] {
  const jobs = endedRows(changed(Job), ({ state }) => isJobEnded(state));
  const tasks = endedRows(changed(Task), ({ state }) => isTaskEnded(state));
  return [
    ...jobs.flatMap((row) => transition('job', jobEvents[row.state], row)),
    ...tasks.flatMap((row) => transition('task', taskEvents[row.state], row)),
  ];
}

/** Returns the rows that entered a final state; a Task that had ended does so again when a repetition has succeeded. */
function endedRows<R extends AnyRow & Pick<JobRow | TaskRow, 'state'>>(
  changes: readonly RowChange<R>[],
  hasEnded: (row: R) => boolean,
): R[] {
  return changes.flatMap(({ before, after }) =>
    after !== null && hasEnded(after) && before?.state !== after.state ? [after] : [],
  );
}

function transition<K extends Transition['kind']>(
  kind: K,
  event: string | undefined,
  row: Extract<Transition, { kind: K }>['row'],
): Transition[] {
  return event === undefined ? [] : [{ kind, event, row } as Transition];
}

const listening: Where<EventRuleRow> = [
  ['runtemplate_source_id', '!=', null],
  ['enabled', '=', true],
];

/** Reads the enabled rules that listen to the templates, by template: one query however many have ended. */
async function listeningRules(tables: Tables, transitions: readonly Transition[]) {
  // Asked first, because the answer is cached and mostly no.
  if ((await tables.of(EventRule).count(listening, 1)) === 0) return new Map<number | null, EventRuleRow[]>();
  const templates = [...new Set(transitions.map(({ row }) => row.runtemplate_id))];
  const where: Where<EventRuleRow> = [
    ['runtemplate_source_id', 'in', templates],
    ['enabled', '=', true],
  ];
  const rules = await tables.of(EventRule).find({ where, columns: ['id', 'runtemplate_source_id', 'event'] });
  return Map.groupBy(rules, (rule) => rule.runtemplate_source_id);
}

async function newEvents(
  tables: Tables,
  transitions: readonly Transition[],
  changedJobs: readonly JobRow[],
): Promise<Omit<EventRow, 'id'>[]> {
  const ended = transitions.map((each) => ({
    ...each,
    job: each.kind === 'job' ? each.row : decisiveJob(each.row, changedJobs),
  }));
  const causes = await readByIds(
    tables,
    Event,
    ended.flatMap(({ job }) => job?.event_id ?? []),
    ['id', 'depth'],
  );
  return ended.map(({ kind, event, row, job }) =>
    newRow(Event, {
      kind,
      event,
      runtemplate_id: row.runtemplate_id,
      company_id: row.company_id,
      job_id: job?.id ?? null,
      task_id: kind === 'job' ? row.task_id : row.id,
      depth: (causes.get(job?.event_id ?? 0)?.depth ?? 0) + 1,
    }),
  );
}

/** Returns the job that decided a Task; undefined where its time ran out. */
function decisiveJob({ id, fulfilled_by_job_id }: TaskRow, jobs: readonly JobRow[]): JobRow | undefined {
  if (fulfilled_by_job_id !== null) return jobs.find((job) => job.id === fulfilled_by_job_id);
  return jobs.find((job) => job.task_id === id && jobEvents[job.state] !== undefined);
}
