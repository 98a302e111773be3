import { declaredSecrets, secretKeys } from '../credential/declared-secrets.ts';
import { defineResource } from '../resource/define-resource.ts';
import { environmentMap } from '../resource/environment-map.ts';
import { flag, json, text } from '../resource/fields.ts';
import { anything } from '../resource/plain-data.ts';
import { sealField } from '../resource/record-seal.ts';
import { email, image, slug } from '../resource/web-fields.ts';

/** A tenant: whose apps are run, and within which people have their rights. */
export const Company = defineResource({
  name: 'Company',
  words: { one: 'company', many: 'companies', id: 'companyId' },
  note: 'A tenant: runs apps, and its members decide how.',
  example: {
    code: 'acme',
    name: 'Acme Inc.',
    registration_number: '27082440',
    email: 'office@acme.example',
    environment: { REGION: 'eu-central' },
  },
  operations: ['list', 'get', 'save', 'remove'],
  company: 'id',
  key: ['code'],
  glance: ['id', 'code', 'name', 'enabled', 'registration_number', 'email'],
  fields: {
    code: slug(64, { unique: true }).required(),
    name: text(255, { indexed: true }).required(),
    enabled: flag(true, { indexed: true }),
    registration_number: text(32),
    email: email(),
    logo: image({ singleOnly: true }),
    settings: json(anything, {}),
    environment: json(environmentMap(), {}, { note: 'For every job of the company.' }),
    seal: sealField(),
  },
  secrets: async (row, { tables }) => secretKeys('environment', row.environment, await declaredSecrets(tables)),
});
export type CompanyRow = NonNullable<(typeof Company)['row']>;
