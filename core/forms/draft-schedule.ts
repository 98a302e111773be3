import { readCalendars } from '../calendar/calendars.ts';
import type { FieldError } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import { readInput, throwIfInvalid } from '../records/input.ts';
import type { RecordsContext } from '../records/records.ts';
import { recordInput, type UncheckedInput } from '../records/text-input.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { checkReferences } from '../resource/references.ts';
import { type AnyRow, newRow } from '../store/table.ts';
import { checkCalendarUse } from '../template/check-calendar-use.ts';
import { scheduleErrors } from '../template/check-schedule.ts';
import { type PlannedWindow, preview, previewClockChanges } from '../template/preview.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';

/** The fields of a run template from which its windows follow, and the company whose calendars it may follow. */
const draftFields = [
  'interval',
  'cron',
  'timezone',
  'delay',
  'jitter',
  'starts_at',
  'ends_at',
  'calendar_id',
  'day_off',
  'deadline',
  'company_id',
] as const;

/** A run template whose form is not filled in yet. Its company may be missing. */
export const DraftSchedule: AnyResource = {
  ...(RunTemplate as AnyResource),
  fields: Object.fromEntries(
    draftFields.map((name) => [name, (RunTemplate as AnyResource).fields[name]]),
  ) as AnyResource['fields'],
  columns: RunTemplate.columns
    .filter(({ name }) => draftFields.some((field) => field === name))
    .map((column) => (column.name === 'company_id' ? { ...column, required: false } : column)),
};

/** How many windows a form shows. */
const maxWindows = 10;

export interface DraftRequest {
  /** The fields as the form has them. */
  readonly input: UncheckedInput;
  /** The run template that the form changes; null = a new one. The jitter of a window depends on it. */
  readonly id: number | null;
  readonly from: Instant;
}

/** The windows that a schedule would have if it were saved. */
export interface DraftPreview {
  readonly cron: string | null;
  /** The next ones. Those of a new run template are due at the earliest, without a jitter. */
  readonly windows: readonly PlannedWindow[];
  /** Those about the clock changes of the year. */
  readonly clockChanges: readonly PlannedWindow[];
}

/**
 * Lists the windows of a schedule that is not saved. It is checked as a save would check it, and may follow a calendar
 * that the actor may see.
 * @throws HorariumError `invalid` with every invalid field, `bad_request` for input that is no object of fields.
 */
export async function previewDraft(
  { store, service, findResource }: RecordsContext,
  actor: Actor,
  { input: unchecked, id, from }: DraftRequest,
): Promise<DraftPreview> {
  const input = recordInput(DraftSchedule, unchecked);
  const errors: FieldError[] = [];
  const set: Partial<AnyRow> = readInput(DraftSchedule, input, undefined, errors, service);
  throwIfInvalid(RunTemplate.name, errors);
  return store.read(async (tables) => {
    const change = { before: undefined, set, after: set, named: new Set<string>() };
    errors.push(...(await checkReferences(DraftSchedule, findResource, change, tables, actor)));
    throwIfInvalid(RunTemplate.name, errors);
    const draft = { ...newRow(RunTemplate, set as Partial<RunTemplateRow>), id: id ?? 0 } as RunTemplateRow;
    errors.push(...scheduleErrors(draft));
    await checkCalendarUse(draft, { tables, service, before: undefined, errors });
    throwIfInvalid(RunTemplate.name, errors);
    const row = id === null ? { ...draft, jitter: 0 } : draft;
    const schedule = (await readCalendars(tables, service.calendarRules, [row])).resolve(row);
    return {
      cron: row.interval === 'custom' ? row.cron : null,
      windows: preview(schedule, { from, to: null, limit: maxWindows }),
      clockChanges: previewClockChanges(schedule, from),
    };
  });
}
