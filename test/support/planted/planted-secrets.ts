import { hash } from 'node:crypto';

/**
 * Marks every planted secret and nothing else: short, so that a piece of a secret is noticed as well, and of letters and
 * digits only, which most encodings leave as they are.
 */
export const marker = 'qZ7xK9vW';

/** Returns the secret with that name, with characters that formats escape. */
export function secretFor(name: string): string {
  return `é"&<${marker}${name}>/+ ${name}`;
}

/** The environment variables with planted secrets, each named for the field that its value is stored in. */
const variables = [
  'APP_DEFAULT',
  'COMPANY_SECRET',
  'TEMPLATE_SECRET',
  'TYPED_CREDENTIAL',
  'CREDENTIAL_TYPE_DEFAULT',
  'UNTYPED_CREDENTIAL',
  'JOB_OVERRIDE',
] as const;

/** The lines that a job prints when it got every secret: a digest of each, which does not reveal it. */
export const digestLines = variables.map((name) => `${name} ${hash('sha256', secretFor(name), 'hex')}`);

const printDigests = variables.map((name) => `echo "${name} $(printf %s "$${name}" | sha256sum | cut -d' ' -f1)"`);

/** Saves one record through any channel, and returns its id. */
type Save = (resource: string, fields: object) => Promise<number>;

/**
 * Plants a secret in every field that takes one.
 * @param script runs in jobs after they have printed their digests.
 * @returns the template whose jobs get every secret, and the overrides that must be given with each job.
 */
export async function plantSecrets(save: Save, script = ''): Promise<{ template: number; overrides: object }> {
  // Every value of a credential without a type is secret, so its variable needs no secret type.
  const typeOf = (name: string) => (name === 'UNTYPED_CREDENTIAL' ? 'text' : 'secret');
  const declared = Object.fromEntries(variables.map((name) => [name, { type: typeOf(name) }]));
  const app = await save('app', {
    name: 'Planted',
    code: 'planted',
    executable: '/bin/sh',
    // The placeholder plants a secret in the command line as well.
    arguments: ['-c', [...printDigests, script].join('\n'), 'sh', '{TEMPLATE_SECRET}'],
    environment: { ...declared, APP_DEFAULT: { type: 'password', default: secretFor('APP_DEFAULT') } },
  });
  const company_id = await save('company', {
    code: 'planted',
    name: 'Planted',
    environment: { COMPANY_SECRET: secretFor('COMPANY_SECRET') },
  });
  const credential_type_id = await save('credential_type', {
    code: 'planted',
    name: 'Planted',
    fields: [
      { keyword: 'TYPED_CREDENTIAL', type: 'password' },
      { keyword: 'CREDENTIAL_TYPE_DEFAULT', secret: true, default: secretFor('CREDENTIAL_TYPE_DEFAULT') },
    ],
  });
  const typed = { TYPED_CREDENTIAL: secretFor('TYPED_CREDENTIAL') };
  const untyped = { UNTYPED_CREDENTIAL: secretFor('UNTYPED_CREDENTIAL') };
  const credentials = [
    await save('credential', { name: 'typed', company_id, credential_type_id, values: typed }),
    await save('credential', { name: 'untyped', company_id, values: untyped }),
  ];
  await save('eventsource', {
    name: 'planted',
    kind: 'changes-table',
    options: {
      driver: 'pgsql',
      host: '127.0.0.1',
      port: 1,
      database: 'x',
      username: 'x',
      password: secretFor('EVENT_SOURCE'),
    },
  });
  const template = await save('runtemplate', {
    name: 'Planted',
    code: 'planted',
    app_id: app,
    company_id,
    interval: 'none',
    environment: { TEMPLATE_SECRET: secretFor('TEMPLATE_SECRET') },
    credentials,
  });
  return { template, overrides: { JOB_OVERRIDE: secretFor('JOB_OVERRIDE') } };
}
