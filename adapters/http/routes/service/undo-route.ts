import { AuditLog, type Route } from '@horarium/core';
import { changesSchema, idSchema, objectOf, textSchema } from '../../openapi/json-schemas.ts';
import { itemReply } from '../../reply/item-reply.ts';

/** The route that undoes a change which the audit log holds. */
export const undoRoute: Route = {
  method: 'POST',
  path: `/auditlog/{${AuditLog.names.id}}/undo.{suffix}`,
  summary: 'Save the values that a record had before a change, unless they were changed again since',
  authentication: 'required',
  shape: {
    operation: 'undoChange',
    tag: AuditLog.names.plural,
    right: { resource: 'AuditLog', verbs: ['read'] },
    dryRun: true,
    responses: {
      200: {
        description: 'The former values are saved. Secrets keep their present values, with a warning.',
        body: {
          schema: objectOf({
            auditlog_id: idSchema,
            entity_type: textSchema,
            entity_id: idSchema,
            changes: changesSchema,
          }),
          example: {
            auditlog_id: 8042,
            entity_type: 'RunTemplate',
            entity_id: 1,
            changes: { environment: [{ DATABASE: 'shpo' }, { DATABASE: 'shop' }] },
          },
        },
      },
    },
  },
  handle: async (context) => {
    const { core, actor } = context;
    return context.inTransaction(async (tables) => {
      const undone = await core.undoIn(tables, actor, context.id(AuditLog.names.id));
      const { warnings: _inHeader, row, ...shown } = undone;
      const writtenRecord = { resource: undone.entity_type, row, created: false };
      return { ...itemReply('undone', shown), writtenRecord };
    });
  },
};
