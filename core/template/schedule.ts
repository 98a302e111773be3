import { array, mixed } from 'yup';
import type { DaysOff, DaysOffDefinition } from '../calendar/days-off.ts';
import { count, instant, integer, ref } from '../field/fields.ts';
import { optionalJson } from '../field/structured.ts';
import type { Instant } from '../loop/clock.ts';
import type { ComputedOptions } from '../resource/define-resource.ts';
import { serializeRow } from '../resource/serialize-row.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping, type RowOfTable } from '../store/table.ts';
import { second } from '../time/duration.ts';
import type { RunTemplateRow } from './run-template.ts';

/**
 * The progress of the scheduler with a run template. It is stored apart from the template, because scheduling a window is
 * not a change of that record. Each template has one row, which also serves as its lock: see `lockTemplates`.
 */
export const Schedule = defineBookkeeping({
  name: 'Schedule',
  partialIndexes: [
    { columns: ['next_at', 'company_id', 'id'], present: ['next_at'] },
    { columns: ['company_id', 'next_at', 'id'], present: ['next_at'] },
    { columns: ['backlog_at', 'company_id', 'id'], present: ['backlog_at'] },
    { columns: ['company_id', 'backlog_at', 'id'], present: ['backlog_at'] },
  ],
  fields: {
    runtemplate_id: ref('RunTemplate', { unique: true, onDelete: 'cascade' }).required(),
    /** The company of the template, which never changes. */
    company_id: ref('Company', { foreignKey: false, indexed: false }).required(),
    /** When the scheduler next looks for a window that begins; null = the template is not scheduled. */
    next_at: instant(),
    /** Start of the first window that has no Task yet. */
    next_window: instant(),
    /** Windows that passed unscheduled and get their Tasks in later ticks; null = none. */
    backlog: optionalJson(array().of(mixed<Backlog>().required()).required()),
    /** When the scheduler next processes the backlog; null = there is none. */
    backlog_at: instant(),
    last_scheduled_at: instant(),
    successful_jobs_count: count(0),
    failed_jobs_count: count(0),
    /** The `UsualDuration` of successful attempts; null = none has succeeded. */
    duration_mean: integer(),
    duration_deviation: integer(),
    /**
     * Failed and missed Tasks, and failed ad hoc jobs, in a row since the template was switched on; counted while an action
     * may tell of them.
     */
    failures_in_row: count(0),
    /** When the first failure after the last success happened; null = there is none. */
    failing_since: instant(),
  },
});
export type ScheduleRow = RowOfTable<typeof Schedule>;

/**
 * Locks templates by their Schedule rows, in the order of their ids so that transactions do not deadlock. Code that
 * decides about Tasks or jobs of a template locks it before it reads them, so that one host at a time applies the rules
 * that concern several jobs (overlap, one attempt at a time).
 * @param lock `skip` leaves out the templates that another transaction has locked.
 */
export async function lockTemplates(
  tables: Tables,
  templateIds: Iterable<number>,
  lock: 'wait' | 'skip',
): Promise<Map<number, ScheduleRow>> {
  const ids = [...new Set(templateIds)];
  if (ids.length === 0) return new Map();
  const order = [['runtemplate_id', 'asc']] as const;
  const rows = await tables.of(Schedule).find({ where: [['runtemplate_id', 'in', ids]], order, lock });
  return new Map(rows.map((row) => [row.runtemplate_id, row]));
}

/**
 * Locks the templates of rows that were read without a lock.
 * @param lock `skip` leaves out the rows whose templates another transaction has locked.
 * @returns the ids of the rows, to read them again: they may have changed before their templates were locked.
 */
export async function lockTemplatesOf(
  tables: Tables,
  rows: readonly { readonly id: number; readonly runtemplate_id: number }[],
  lock: 'wait' | 'skip',
): Promise<number[]> {
  if (tables.serial) return rows.map((row) => row.id);
  const templateIds = rows.map((row) => row.runtemplate_id);
  // The settings, which all that follows depends on, are read after the locks, in the same round trip.
  const [locked] = await Promise.all([lockTemplates(tables, templateIds, lock), tables.setting('clock')]);
  return rows.filter((row) => locked.has(row.runtemplate_id)).map((row) => row.id);
}

/** The columns of a template that the scheduler reads; environments may be large, so it leaves them. */
export const scheduleSpecFields = [
  'id',
  'app_id',
  'company_id',
  'executor',
  'placement',
  'priority',
  'interval',
  'cron',
  'timezone',
  'calendar_id',
  'day_off',
  'starts_at',
  'ends_at',
  'delay',
  'jitter',
  'deadline',
  'allow_late',
  'max_attempts',
  'retry_backoff',
  'retry_delay',
  'retry_max_delay',
  'catch_up',
] as const;

/** The fields of a template that determine its windows, the limits of their Tasks, and their first jobs. */
export type StoredSpec = Pick<RunTemplateRow, (typeof scheduleSpecFields)[number]>;

/** The same with the days off of its calendar, which `Calendars` adds. */
export interface ScheduleSpec extends StoredSpec {
  readonly daysOff: DaysOff | null;
}

/** Copies the spec of a template, so that past windows can be scheduled by it after the template has changed. */
export function scheduleSpecOf(template: StoredSpec): StoredSpec {
  return Object.fromEntries(scheduleSpecFields.map((field) => [field, template[field]])) as StoredSpec;
}

/**
 * Consecutive windows that passed unscheduled and have no Tasks yet: those before a change of the template, or those of a
 * long outage. Later ticks create their Tasks in batches, by the spec under which the windows began, while newer windows
 * are scheduled at once.
 */
export interface Backlog {
  readonly spec: StoredSpec;
  /** The days off that its calendar had at the change. @default those that the calendar has */
  readonly daysOff?: DaysOffDefinition;
  /** Start of the first window that has no Task yet. */
  readonly next: Instant;
  /** When the template was changed or the outage ended. Windows that ended by then have passed. */
  readonly until: Instant;
  /** Whether its windows are not run: passed ones are missed, and the one that was current is cancelled. */
  readonly waived: boolean;
  /** Whether windows that pass later belong to it too: the template has not changed since. */
  readonly extensible: boolean;
}

/** The computed fields of a template that show its schedule. */
export const scheduleFields: ComputedOptions<{ readonly id: number }> = {
  fields: {
    last_scheduled_at: instant({ readOnly: true, description: 'When its last Task was created.' }),
    next_scheduled_at: instant({ readOnly: true, description: 'Start of the first window that has no Task yet.' }),
    successful_jobs_count: count(0, { readOnly: true }),
    failed_jobs_count: count(0, { readOnly: true }),
    usual_duration: integer({
      readOnly: true,
      description: 'How many seconds a successful attempt usually takes; null = none has succeeded.',
    }),
  },
  async load(tables, rows) {
    const ids = rows.map((row) => row.id);
    const schedules = await tables.of(Schedule).find({ where: [['runtemplate_id', 'in', ids]] });
    const byTemplate = new Map(schedules.map((row) => [row.runtemplate_id, serializeRow(Schedule, row)]));
    return ids.map((id) => {
      const schedule = byTemplate.get(id);
      return {
        last_scheduled_at: schedule?.['last_scheduled_at'] ?? null,
        next_scheduled_at: schedule?.['next_window'] ?? null,
        successful_jobs_count: schedule?.['successful_jobs_count'] ?? 0,
        failed_jobs_count: schedule?.['failed_jobs_count'] ?? 0,
        usual_duration: inSeconds(schedule?.['duration_mean']),
      };
    });
  },
};

function inSeconds(duration: unknown): number | null {
  return typeof duration === 'number' ? Math.round(duration / second) : null;
}
