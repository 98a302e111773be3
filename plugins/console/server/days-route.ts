import {
  countTaskDays,
  HorariumError,
  maxDayTemplates,
  maxTaskDays,
  parseIds,
  type Reply,
  type Route,
  type RouteContext,
} from '@horarium/core/plugin';
import { list, object, text } from './schemas.ts';

/** Tells how each of some templates did, day by day in its own zone, for the strips and calendars of pages. */
export const daysRoute: Route = {
  method: 'GET',
  path: '/console/days',
  summary: 'Count the tasks of run templates by state for each of the last days of their own time zones',
  hidden: true,
  authentication: 'required',
  shape: {
    operation: 'countTaskDays',
    tag: 'console',
    parameters: {
      runtemplate_id: {
        description: `The ids of the run templates: at most ${maxDayTemplates}.`,
        schema: {
          type: 'array',
          items: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          maxItems: maxDayTemplates,
        },
        required: true,
      },
      days: {
        description: 'How many days, the last of which is today.',
        schema: { type: 'integer', minimum: 1, maximum: maxTaskDays, default: maxTaskDays },
      },
    },
    responses: {
      200: {
        description: 'The counts of those that the caller may see, the oldest day first.',
        body: {
          schema: list(
            object({
              runtemplate_id: { type: 'integer' },
              timezone: text,
              until: { type: 'string', format: 'date', description: 'The last of the days.' },
              counts: {
                type: 'object',
                additionalProperties: list({ type: 'integer' }),
                description: 'How many there are on each day, by state. A state without tasks is missing.',
              },
            }),
          ),
          example: [
            { runtemplate_id: 7, timezone: 'Europe/Prague', until: '2026-11-30', counts: { fulfilled: [1, 1, 1] } },
          ],
        },
      },
    },
  },
  handle,
};

async function handle({ core, actor, query }: RouteContext): Promise<Reply> {
  const templateIds = parseIds('runtemplate_id', query.get('runtemplate_id') ?? '', maxDayTemplates);
  const days = Number(query.get('days') ?? maxTaskDays);
  if (!Number.isSafeInteger(days) || days < 1 || days > maxTaskDays)
    throw new HorariumError('bad_request', `days must be a whole number from 1 to ${maxTaskDays}.`);
  const value = await core.store.read((tables) => countTaskDays(tables, actor, { templateIds, days }));
  return { value, shape: { kind: 'list', name: 'days', fields: null } };
}
