import { declarableKey } from '../app/environment-map.ts';
import { variableErrors } from '../app/forbidden-variables.ts';
import { instant, ref, text } from '../field/fields.ts';
import { json, mapOf, type Scalar, scalar } from '../field/structured.ts';
import { defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { exampleSecret } from '../resource/example.ts';
import { byMembership } from '../resource/permissions.ts';
import { isCiphertext } from '../secret/ciphertext.ts';
import { cipherKeyField } from '../secret/record-cipher.ts';
import type { Tables } from '../store/store.ts';
import type { RowOfTable } from '../store/table.ts';
import { checkValues, secretKeywords } from './credential-field.ts';
import { CredentialType } from './credential-type.ts';
import { secretPaths } from './declared-secrets.ts';

/** The maximum length of all values of a credential together; an attempt reads those of up to a hundred credentials. */
const maxValuesLength = 256 * 1024;

export type CredentialValue = Scalar | null;

/**
 * The length that counts of a value. Of one that is stored encrypted, which is longer than its text, only half does, so that
 * a credential that was accepted is accepted again.
 */
function lengthOf(value: CredentialValue): number {
  const { length } = String(value ?? '');
  return isCiphertext(value) ? length / 2 : length;
}

/**
 * Reads the fields of the credential's type; null when it has no type: then it may hold any values, and every one is
 * secret.
 */
async function fieldsOf({ credential_type_id }: { credential_type_id: number | null }, tables: Tables) {
  if (credential_type_id === null) return null;
  const [type] = await tables.of(CredentialType).find({ where: [['id', '=', credential_type_id]] });
  return type?.fields ?? [];
}

const described = defineResource({
  name: 'Credential',
  cacheRegion: 'configuration',
  names: { singular: 'credential', plural: 'credentials', id: 'credentialId' },
  description: 'Values such as a login and a password that jobs of a company get in their environment.',
  example: {
    name: 'Backup account of the shop',
    company_id: 1,
    credential_type_id: 1,
    values: { PGUSER: 'backup', PGPASSWORD: exampleSecret },
  },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byMembership({ read: 'viewer', write: 'manager' }),
  company: 'company_id',
  summaryFields: ['id', 'name', 'company_id', 'credential_type_id', 'expires_at'],
  fields: {
    name: text(255, { indexed: true, description: 'Name for people.' }).required(),
    company_id: ref('Company', { immutable: true }).required(),
    credential_type_id: ref('CredentialType'),
    values: json(
      mapOf<CredentialValue>(scalar.nullable().defined(), declarableKey),
      {},
      {
        detailOnly: true,
        members: { by: 'credential_type_id', declared: 'fields' },
        description: 'By the keywords of its type: {"PGPASSWORD": "…"}.',
      },
    ),
    expires_at: instant({ indexed: true, description: 'Null = never.' }),
    cipher_key: cipherKeyField(),
  },
  async check(row, { tables, service, before, isCleared, errors }) {
    const fields = await fieldsOf(row, tables);
    const emptyValues = fields?.map(({ keyword }): [string, CredentialValue] => [keyword, null]) ?? [];
    const stored = isCleared('values') ? {} : (before?.values ?? {});
    const storedValues = Object.entries(stored).filter(
      ([key]) => !fields || emptyValues.some(([name]) => name === key),
    );
    row.values = { ...Object.fromEntries([...emptyValues, ...storedValues]), ...row.values };
    errors.push(...variableErrors(service.executors, 'values', row.values));
    if (Object.values(row.values).reduce<number>((sum, value) => sum + lengthOf(value), 0) > maxValuesLength)
      errors.push({ field: 'values', message: `values may have at most ${maxValuesLength} characters together` });
    if (!fields) return;
    errors.push(...checkValues(fields, row.values));
  },
  async secrets(row, { tables }) {
    const fields = await fieldsOf(row, tables);
    const secret = new Set(fields ? secretKeywords(fields) : Object.keys(row.values));
    return secretPaths('values', row.values, secret);
  },
});
export type CredentialRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type CredentialInput = { [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K] };

/** Values, mostly secret, that jobs of a company sign in elsewhere with. */
export const Credential: Resource<CredentialRow, CredentialInput> = described;
