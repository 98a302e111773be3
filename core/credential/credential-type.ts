import { array } from 'yup';
import { choicesOf } from '../app/declarations.ts';
import { variableRefusal } from '../app/forbidden-variables.ts';
import { text } from '../field/fields.ts';
import { json } from '../field/structured.ts';
import { image, slug, uuid, webAddress } from '../field/web-fields.ts';
import { defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { byRole } from '../resource/permissions.ts';
import { isCiphertext } from '../secret/ciphertext.ts';
import { cipherKeyField } from '../secret/record-cipher.ts';
import type { RowOfTable } from '../store/table.ts';
import { type CredentialField, credentialField, isSecretField } from './credential-field.ts';

const described = defineResource({
  name: 'CredentialType',
  cacheRegion: 'configuration',
  names: { singular: 'credential_type', plural: 'credential_types', id: 'credentialTypeID' },
  description: 'Describes the values of a kind of credential, and which of them are secret.',
  example: {
    uuid: 'a3d0f8b2-51c4-4e6b-8f0e-7b9c2d1e4a55',
    code: 'postgresql',
    name: 'PostgreSQL',
    description: 'An account of a PostgreSQL server.',
    fields: [
      { keyword: 'PGUSER', name: 'User', type: 'string', required: true },
      { keyword: 'PGPASSWORD', name: 'Password', type: 'password', required: true },
    ],
  },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byRole({ read: 'viewer', write: 'admin' }),
  company: null,
  key: ['code'],
  summaryFields: ['id', 'code', 'name', 'version', 'url'],
  fields: {
    uuid: uuid({ unique: true, description: 'Generated if it is left out.' }),
    code: slug(64, { unique: true, description: 'Short name for machines.' }).required(),
    name: text(255, { description: 'Name for people.' }).required(),
    description: text(65_535, { description: 'What these credentials give access to.' }),
    url: webAddress({ description: 'Web page about the service that they give access to.' }),
    logo: image({ detailOnly: true, description: 'Logo of that service.' }),
    version: text(64, { description: 'Version of this description.' }),
    cipher_key: cipherKeyField(),
    fields: json(array().of<CredentialField>(credentialField).max(200).defined(), [], {
      detailOnly: true,
      description: 'What its credentials hold: [{"keyword": "PGPASSWORD", "type": "password"}].',
    }),
  },
  check(row, { before, service, errors }) {
    row.uuid ??= crypto.randomUUID();
    row.fields.forEach(({ keyword, type, options, default: defaultValue }, index) => {
      const addError = (member: string, problem: string) => {
        const field = `fields[${index}].${member}`;
        errors.push({ field, message: `${field} ${problem}` });
      };
      // A mask stands for the secret that is stored at its index, which belongs to another field once fields have
      // moved.
      if (isCiphertext(defaultValue) && before?.fields[index]?.keyword !== keyword)
        addError('default', `must be given in full: ${keyword} was not at this place before`);
      const refusal = variableRefusal(service.executors, keyword);
      if (refusal !== null) addError('keyword', `${keyword} ${refusal}`);
      if (row.fields.findIndex((other) => other.keyword === keyword) < index)
        addError('keyword', `${keyword} is there twice`);
      if (type === 'select' && choicesOf(options).length === 0) addError('options', `must list what ${keyword} may be`);
    });
  },
  secrets: (row) =>
    row.fields.flatMap((field, index) =>
      isSecretField(field) && (field.default ?? null) !== null ? [['fields', index, 'default']] : [],
    ),
});
export type CredentialTypeRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type CredentialTypeInput = {
  [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K];
};

/** Describes the values of a kind of credential, and which of them are secret. */
export const CredentialType: Resource<CredentialTypeRow, CredentialTypeInput> = described;
