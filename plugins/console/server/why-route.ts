import {
  HorariumError,
  parseIds,
  type Reply,
  type Route,
  type RouteContext,
  readTimezone,
  shownExplanation,
} from '@horarium/core/plugin';
import { list, object, optionalText, text } from './schemas.ts';

/** How many records one answer explains: as many problems as a page shows at first. */
const maxExplained = 20;

/** The kinds that are explained, by the parameter that has their ids. */
const kinds = { task_id: 'Task', runtemplate_id: 'RunTemplate' } as const;

const ids = {
  type: 'array',
  items: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  maxItems: maxExplained,
};
const id = { type: 'integer' };

/** Explains all problems that a page shows at once, so that it asks once for them. */
export const whyRoute: Route = {
  method: 'GET',
  path: '/console/why',
  summary: 'Tell why several tasks and run templates run or not, and what has changed since their last success',
  hidden: true,
  authentication: 'required',
  shape: {
    operation: 'explainProblems',
    tag: 'console',
    parameters: {
      ...Object.fromEntries(
        Object.entries(kinds).map(([name, kind]) => [
          name,
          { description: `The ids of each ${kind}: at most ${maxExplained} in all.`, schema: ids },
        ]),
      ),
      timezone: { description: 'The zone of the times in the sentences.', schema: text },
    },
    responses: {
      200: {
        description: 'Their explanations, but for those that the caller may not see.',
        body: {
          schema: list(
            object({
              kind: text,
              id,
              runtemplate_id: id,
              company_id: id,
              time: text,
              timezone: text,
              sentence: text,
              conditions: list(object({ name: text, met: { type: 'boolean' }, text })),
              since_success: {
                type: ['object', 'null'],
                properties: { job_id: { type: ['integer', 'null'] }, since: text, archived_before: optionalText },
              },
            }),
          ),
          example: [
            {
              kind: 'Task',
              id: 4711,
              runtemplate_id: 1,
              company_id: 1,
              time: '2026-11-21T07:00:00.000Z',
              timezone: 'Europe/Prague',
              sentence: 'Task 4711 of Nightly backup (Acme Inc.), window 2026-11-20 00:00, failed at 00:31',
              conditions: [],
              since_success: null,
            },
          ],
        },
      },
    },
  },
  handle,
};

async function handle({ core, actor, query }: RouteContext): Promise<Reply> {
  const requests = Object.entries(kinds).flatMap(([name, kind]) => {
    const ids = query.get(name);
    const ofKind = ids === undefined ? [] : parseIds(name, ids, maxExplained);
    return ofKind.map((id) => ({ kind, id, ...readTimezone(query) }));
  });
  if (requests.length > maxExplained)
    throw new HorariumError('bad_request', `At most ${maxExplained} records are explained at once.`);
  const explanations = await core.whyEach(actor, requests);
  return { value: explanations.map(shownExplanation), shape: { kind: 'list', name: 'why', fields: null } };
}
