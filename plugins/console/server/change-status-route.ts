import {
  formatInstant,
  parseIds,
  type Reply,
  type Route,
  type RouteContext,
  readStatuses,
} from '@horarium/core/plugin';
import { list, object, text } from './schemas.ts';

/** How many entries one answer is about: as many as a page lists. */
const maxEntries = 100;

const id = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const change = { auditlog_id: { type: 'integer' }, at: text, actor: text };
const orNull = (schema: object) => ({ ...schema, type: ['object', 'null'] });

/** Tells which changes are in force, so that pages do not offer to undo what was undone. */
export const changeStatusRoute: Route = {
  method: 'GET',
  path: '/console/change-status',
  summary: 'Tell which changes of the audit log were undone or replaced, and which later ones did that',
  hidden: true,
  authentication: 'required',
  shape: {
    operation: 'statusesOfChanges',
    tag: 'console',
    parameters: {
      auditlog_id: {
        description: `The ids of the entries, at most ${maxEntries}.`,
        required: true,
        schema: { type: 'array', items: id, maxItems: maxEntries },
      },
    },
    responses: {
      200: {
        description: 'Those that are not in force as they were made.',
        body: {
          schema: list(
            object({
              auditlog_id: { type: 'integer' },
              undone_by: orNull(object(change)),
              replaced_by: orNull(object({ ...change, fields: list(text) })),
            }),
          ),
          example: [
            {
              auditlog_id: 8042,
              undone_by: { auditlog_id: 8050, at: '2026-11-21T07:00:00.000Z', actor: 'alice' },
              replaced_by: {
                auditlog_id: 8050,
                at: '2026-11-21T07:00:00.000Z',
                actor: 'alice',
                fields: ['environment'],
              },
            },
          ],
        },
      },
    },
  },
  handle,
};

async function handle({ core, actor, query }: RouteContext): Promise<Reply> {
  const ids = parseIds('auditlog_id', query.get('auditlog_id') ?? '', maxEntries);
  const statuses = await core.store.read((tables) => readStatuses(tables, actor, ids));
  const value = [...statuses].map(([auditlog_id, { undone_by, replaced_by }]) => ({
    auditlog_id,
    undone_by: undone_by && { ...undone_by, at: formatInstant(undone_by.at) },
    replaced_by: replaced_by && { ...replaced_by, at: formatInstant(replaced_by.at) },
  }));
  return { value, shape: { kind: 'list', name: 'changes', fields: null } };
}
