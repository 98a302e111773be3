import { mixed } from 'yup';
import { choice, flag, integer, text } from '../field/fields.ts';
import { json } from '../field/structured.ts';
import { type Actor, channels } from '../resource/actor.ts';
import { defineJournal, type Resource } from '../resource/define-resource.ts';
import { byRole, companiesOf } from '../resource/permissions.ts';
import type { Where } from '../store/query.ts';
import type { RowOfTable } from '../store/table.ts';
import { lookUpRecord } from './audit-span.ts';
import { type Changes, changeSchema } from './changes.ts';

const changesShape = {
  type: 'object',
  additionalProperties: {
    anyOf: [changeSchema, { type: 'object', description: 'The changes of one record, by its id.' }],
  },
};

const described = defineJournal({
  name: 'AuditLog',
  names: {
    singular: 'auditlog',
    plural: 'auditlog',
    id: 'auditLogId',
    nouns: ['entry of the audit log', 'entries of the audit log'],
  },
  description: 'One create, update or delete of a record: who did it, when, through which channel, and what changed.',
  example: {
    user_id: 1,
    channel: 'http',
    actor: 'admin',
    action: 'update',
    entity_type: 'RunTemplate',
    entity_id: 1,
    company_id: 1,
    changes: { deadline: ['08:00', '06:00'] },
    ip: '203.0.113.7',
    request_id: '0d0f6a52-3f0e-4f66-9a3c-2f7d4f0f5a0b',
    seq: 42,
    hash: '5f16b1b5f0b4a4a0a3b7b4f3d3f0c5d6b7a8e9f0a1b2c3d4e5f60718293a4b5c',
    forged: false,
  },
  permissions: byRole(
    { read: 'admin', write: 'the service' },
    {
      own: {
        rows: ownEntries,
        description:
          'Admins read all entries. Others read the entries of their companies, and of what they did themselves.',
      },
    },
  ),
  company: 'company_id',
  period: 'created_at',
  lookup: lookUpRecord,
  summaryFields: [
    'id',
    'created_at',
    'channel',
    'actor',
    'action',
    'entity_type',
    'entity_id',
    'company_id',
    'changes',
    'forged',
  ],
  secondaryFields: ['channel', 'company_id', 'changes'],
  fields: {
    user_id: integer({ indexed: true, description: 'Null if the service itself or a local operator did it.' }),
    channel: choice(channels).required(),
    actor: text(255).required(),
    action: choice(['create', 'update', 'delete'], { indexed: true }).required(),
    entity_type: text(64, {
      format: 'resource',
      description: 'The name of the resource, such as RunTemplate.',
    }).required(),
    entity_id: integer({
      description:
        "0 if the entry holds changes of several records: changes then has them by the id of the record. A list with the filter entity_id shows that record's part.",
    }).required(),
    company_id: integer({ indexed: true }),
    changes: json(mixed<Changes>().required().meta({ jsonSchema: changesShape }), {}, { lenient: true }),
    ip: text(64),
    request_id: text(128),
    seq: integer({ description: 'Position in the sealed chain, without gaps; null until the entry is sealed.' }),
    hash: text(64, { description: 'Proves the entry and all before it; null until the entry is sealed.' }),
    forged: flag(false, {
      description: 'Whether the entry was inserted without the service. Such an entry is never sealed.',
    }),
    /** Unique, so that nobody can copy a signed entry. */
    nonce: text(36, { hidden: true, unique: true }).required(),
    /** The HMAC of what the writer wrote, see `signed-entry.ts`. */
    mac: text(64, { hidden: true }).required(),
  },
  // One index of both lets the sealer find the entries that it has not checked, however many are forged.
  unique: [['seq', 'forged']],
  indexes: [['entity_type', 'entity_id']],
});
export type AuditEntry = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };

/**
 * One entry for each create, update or delete of any audited record, written in the change's own transaction. It holds
 * plain values and no foreign keys, so it stays when the record is deleted. The writer signs the entry. Later it is sealed,
 * which sets `seq` and `hash`, or it is marked `forged` because its signature is wrong.
 */
export const AuditLog: Resource<AuditEntry> = described;

function ownEntries(actor: Actor): Where {
  const mine: Where[] = actor.userId === null ? [] : [[['user_id', '=', actor.userId]]];
  return [{ any: [...mine, [['company_id', 'in', companiesOf(actor, 'viewer')]]] }];
}
