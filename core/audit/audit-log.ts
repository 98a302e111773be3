import { mixed } from 'yup';
import { choice, integer, text } from '../field/fields.ts';
import { json } from '../field/structured.ts';
import { defineJournal, type RowOfTable } from '../store/table.ts';

/** `[before, after]` of each field that changed; secrets are masked. */
export type Changes = Readonly<Record<string, readonly [unknown, unknown]>>;

const changesShape = {
  type: 'object',
  additionalProperties: { type: 'array', minItems: 2, maxItems: 2, items: {} },
};

/** The kinds of records that entries speak of, written down here because the log stands below all of them. */
const entityTypes = [
  'App',
  'Artifact',
  'Company',
  'CompanyUser',
  'Credential',
  'CredentialType',
  'EventRule',
  'EventSource',
  'Job',
  'RunTemplate',
  'Task',
  'Token',
  'Topic',
  'User',
  'UserRoles',
] as const;

/**
 * One entry for each create, update or delete of any record, written in the change's own transaction. It holds plain
 * values and no foreign keys, so it outlives what it speaks of. `seq` and `hash` are set once, when it is sealed.
 */
export const AuditLog = defineJournal({
  name: 'AuditLog',
  fields: {
    user_id: integer({ indexed: true, description: 'Null when the service itself or a local operator did it.' }),
    channel: choice(['http', 'ui', 'cli', 'embedded', 'system']).required(),
    actor: text(255).required(),
    action: choice(['create', 'update', 'delete'], { indexed: true }).required(),
    entity_type: choice<string>(entityTypes).required(),
    entity_id: integer().required(),
    company_id: integer({ indexed: true }),
    changes: json(mixed<Changes>().required().meta({ plain: changesShape }), {}),
    ip: text(64),
    request_id: text(128),
    seq: integer({ unique: true, description: 'Place in the sealed chain, without gaps.' }),
    hash: text(64),
  },
  indexes: [['entity_type', 'entity_id']],
});
export type AuditEntry = RowOfTable<typeof AuditLog>;
