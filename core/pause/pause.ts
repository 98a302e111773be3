import { conflict } from '../errors.ts';
import { choice, instant, ref, text } from '../field/fields.ts';
import type { Instant } from '../loop/clock.ts';
import { type CheckContext, defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { byMembershipOrShared } from '../resource/permissions.ts';
import type { RowOfTable } from '../store/table.ts';
import { catchUps, maxCaughtUp } from '../template/run-template.ts';
import { formatInstant } from '../time/instant.ts';
import { assertRoomForScope, pauseScopeFields } from './pause-scope.ts';

/** How many pauses of one company may lie ahead or be in force, and how many of all companies: each claim of jobs reads them. */
const maxPauses = 200;

const described = defineResource({
  name: 'Pause',
  cacheRegion: 'configuration',
  names: { singular: 'pause', plural: 'pauses', id: 'pauseId' },
  description:
    'A span in which no job starts of a run template, of a company or of all; running attempts go on. Those that have ended are kept: their end is when that was.',
  example: {
    runtemplate_id: 1,
    company_id: 1,
    starts_at: '2099-11-21T12:00:00Z',
    until: '2099-11-21T14:00:00Z',
    reason: 'the shop moves to another rack',
  },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byMembershipOrShared({ read: 'viewer', write: 'operator' }, 'Pause', 'Pauses'),
  company: 'company_id',
  companyFrom: 'runtemplate_id',
  period: 'starts_at',
  summaryFields: [
    'id',
    'runtemplate_id',
    'company_id',
    'starts_at',
    'until',
    'ended_at',
    'paused_by',
    'catch_up',
    'reason',
  ],
  secondaryFields: ['catch_up', 'paused_by', 'ended_at'],
  fields: {
    ...pauseScopeFields,
    starts_at: instant({ immutable: true, indexed: true, description: 'From when on it holds jobs; now if left out.' }),
    until: instant({
      description: 'When jobs start again; null = when a person resumes. A time that has passed resumes at once.',
    }),
    reason: text(255, { description: 'What for; each Task that it cancels names it.' }).required(),
    catch_up: choice(catchUps, {
      description: 'Which of the windows that pass meanwhile run afterwards.',
      meanings: {
        none: 'no window: their Tasks are cancelled',
        latest: 'the newest one of each run template',
        all: `each, oldest first; beyond the newest ${maxCaughtUp} of a run template they are cancelled`,
      },
    })
      .default('none')
      .nonNullable(),
    maintenance_window_id: ref('MaintenanceWindow', {
      readOnly: true,
      onDelete: 'setNull',
      description: 'The maintenance window that made it; null = a person paused.',
    }),
    paused_by: text(255, { readOnly: true, description: 'Who paused.' }),
    ended_at: instant({ readOnly: true, description: 'When it ended; null = it lies ahead or is in force.' }),
    /** When the jobs were released that it held; null = they are not yet. */
    released_at: instant({ hidden: true, unaudited: true, indexed: true }),
  },
  check: (row, context): Promise<void> => checkPause(row, context),
});
export type PauseRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type PauseInput = { [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K] };

/**
 * A span in which due jobs wait. It never changes how windows get their Tasks, so that after it everything is as it would be
 * without it; a Task whose start deadline passes meanwhile is cancelled, or caught up afterwards.
 */
export const Pause: Resource<PauseRow, PauseInput> = described;

async function checkPause(row: PauseRow, { tables, actor, before, errors }: CheckContext<PauseRow>): Promise<void> {
  const now = await tables.now();
  if (row.reason.trim() === '') errors.push({ field: 'reason', message: 'reason must say what the pause is for' });
  if (!before) {
    row.starts_at ??= now;
    row.paused_by = actor.name;
    if (row.until !== null && row.until <= now)
      errors.push({ field: 'until', message: 'until must lie ahead: the pause would be over' });
    const where = [['ended_at', '=', null]] as const;
    await assertRoomForScope(tables, Pause, row.company_id, {
      max: maxPauses,
      noun: 'pauses',
      which: ' that have not ended',
      where,
      remedy: 'end or delete others first',
    });
  } else if (endOfPause(before) <= now) {
    const changed = (['until', 'catch_up'] as const).find((field) => row[field] !== before[field]);
    if (changed) throw conflict(`Pause ${row.id} has ended: its ${changed} cannot be changed. Make another one.`);
  } else if (row.until !== null && row.until <= now) {
    if ((row.starts_at ?? now) > now) throw conflict(`Pause ${row.id} has not begun: it can be deleted, not ended.`);
    row.until = now;
    row.ended_at = now;
  }
  if (row.ended_at !== null || row.until === null || errors.length > 0) return;
  if (row.until <= (row.starts_at ?? now)) errors.push({ field: 'until', message: 'until must be after starts_at' });
}

/** Returns when a pause ends or has ended; Infinity = when a person resumes. */
export function endOfPause({ until, ended_at }: Pick<PauseRow, 'until' | 'ended_at'>): Instant {
  return ended_at ?? until ?? Infinity;
}

/**
 * Says who paused until when and what for, as a clause without a full stop: `paused by jana until …: the shop moves`.
 * @param timeText writes the time. @default as RFC 3339
 */
export function describePause(
  pause: Pick<PauseRow, 'paused_by' | 'until' | 'ended_at' | 'reason'>,
  timeText: (at: Instant) => string = formatInstant,
): string {
  const end = endOfPause(pause);
  const until = end === Infinity ? 'a person resumes' : timeText(end);
  return `paused by ${pause.paused_by} until ${until}: ${pause.reason}`;
}
