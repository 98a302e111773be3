import { readCalendars } from '../calendar/calendars.ts';
import { errorMessage, HorariumError } from '../errors.ts';
import { choice, flag, instant, ref, text } from '../field/fields.ts';
import { assertRoomForScope, pauseScopeFields } from '../pause/pause-scope.ts';
import { type CheckContext, defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { byMembershipOrShared } from '../resource/permissions.ts';
import { assertCodeIsFree } from '../resource/shared-code.ts';
import type { RowOfTable } from '../store/table.ts';
import { catchUps } from '../template/run-template.ts';
import { parseTimeOfDay } from '../time/local-time.ts';
import { zoneNamed } from '../time/zone.ts';
import { knownOutlook, noPlan, outlookOf, replan } from './maintenance-plan.ts';

/** How many maintenance windows a company may have, and how many all companies together: each has up to two pauses. */
const maxWindows = 50;

const described = defineResource({
  name: 'MaintenanceWindow',
  cacheRegion: 'configuration',
  names: { singular: 'maintenancewindow', plural: 'maintenancewindows', id: 'maintenanceWindowId' },
  description: 'Pauses by calendar: no job starts on the days of a calendar between two times.',
  example: {
    code: 'patch-night',
    name: 'Patch night',
    company_id: 1,
    calendar_id: 1,
    start_time: '22:00',
    end_time: '06:00',
    timezone: 'Europe/Prague',
  },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byMembershipOrShared({ read: 'viewer', write: 'operator' }, 'MaintenanceWindow', 'Maintenance windows'),
  company: 'company_id',
  companyFrom: 'runtemplate_id',
  key: ['company_id', 'code'],
  summaryFields: [
    'id',
    'code',
    'name',
    'runtemplate_id',
    'company_id',
    'active',
    'calendar_id',
    'start_time',
    'end_time',
    'timezone',
    'next_starts_at',
    'next_until',
  ],
  fields: {
    code: text(64, { description: 'Unique within the company.' }),
    name: text(255, { description: 'Name for people; the reason of its pauses.' }).required(),
    ...pauseScopeFields,
    active: flag(true, { description: 'An inactive one makes no pauses.' }),
    calendar_id: ref('Calendar', { description: 'The calendar whose days off are its days.' }).required(),
    start_time: text(5, {
      format: 'time',
      parse: timeOfDay,
      description: 'The local time at which it begins on each of the days, such as 22:00.',
    })
      .default('00:00')
      .nonNullable(),
    end_time: text(5, {
      format: 'time',
      parse: timeOfDay,
      description:
        'The local time at which it ends: on the next day unless it is later than start_time. If both are the same, it lasts a day.',
    })
      .default('00:00')
      .nonNullable(),
    timezone: text(64, {
      format: 'timezone',
      defaultFor: ({ timezone }) => timezone,
      description: 'IANA name of the zone of its times and days; the service’s own if it is left out.',
    })
      .default('UTC')
      .nonNullable(),
    catch_up: choice(catchUps, {
      description: 'Which of the windows that pass meanwhile run afterwards, as for a pause.',
    })
      .default('none')
      .nonNullable(),
    next_starts_at: instant({
      readOnly: true,
      unaudited: true,
      indexed: true,
      description: 'When the next of its times begins that has no pause yet; null = none is known.',
    }),
    next_until: instant({ readOnly: true, unaudited: true, description: 'When that one ends.' }),
    problem: text(1000, {
      readOnly: true,
      unaudited: true,
      description:
        'Why its next time is not known: a rule of the calendar is missing, or fails. It is tried each minute.',
    }),
  },
  check: (row, context): Promise<void> => checkWindow(row, context),
});
export type MaintenanceWindowRow = {
  [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K];
};
export type MaintenanceWindowInput = {
  [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K];
};

/** The days of a calendar on which no job starts between two times: each of them becomes a Pause shortly before it begins. */
export const MaintenanceWindow: Resource<MaintenanceWindowRow, MaintenanceWindowInput> = described;

function timeOfDay(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  if (parseTimeOfDay(input) === undefined) throw new Error('must be a local time such as 22:00 or 06:30');
  return input;
}

/** The fields that say when it is. */
const plannedFields = [
  'active',
  'calendar_id',
  'start_time',
  'end_time',
  'timezone',
] as const satisfies readonly (keyof MaintenanceWindowRow)[];

/** Whether a change moves its times. */
export function changesTimes(before: MaintenanceWindowRow, after: MaintenanceWindowRow): boolean {
  return plannedFields.some((field) => before[field] !== after[field]);
}

async function checkWindow(row: MaintenanceWindowRow, context: CheckContext<MaintenanceWindowRow>): Promise<void> {
  const { tables, service, before, errors } = context;
  if (row.company_id === null) await assertCodeIsFree(MaintenanceWindow, row, tables);
  if (!before) {
    const bound = { max: maxWindows, noun: 'maintenance windows', remedy: 'delete others first' };
    await assertRoomForScope(tables, MaintenanceWindow, row.company_id, bound);
  }
  if (errors.length > 0 || (before && !changesTimes(before, row))) return;
  if (!row.active) {
    Object.assign(row, noPlan);
    return;
  }
  try {
    zoneNamed(row.timezone);
  } catch (error) {
    errors.push({ field: 'timezone', message: errorMessage(error) });
    return;
  }
  try {
    const calendars = await readCalendars(tables, service.calendarRules, before ? [before, row] : [row]);
    const was = before && (await knownOutlook(tables, before, calendars.resolve(before).daysOff));
    // A new row has no id yet, and so no pauses.
    const is = await outlookOf(tables, { ...row, id: before?.id ?? 0 }, calendars.resolve(row).daysOff);
    const { plan } = replan(was && before && { ...before, outlook: was }, is);
    Object.assign(row, plan);
    if (plan.next_starts_at === null)
      tables.warn('No further day of its calendar is known, so that it will hold no jobs.');
  } catch (error) {
    if (!(error instanceof HorariumError)) throw error;
    errors.push({ field: 'calendar_id', message: error.message });
  }
}
