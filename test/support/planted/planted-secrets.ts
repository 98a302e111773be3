import { hash } from 'node:crypto';

/**
 * Marks every planted secret and nothing else: short, so that a piece of a secret is noticed as well, and of letters and
 * digits only, which most encodings leave as they are.
 */
export const marker = 'qZ7xK9vW';

/** Returns a secret for a field, with characters that formats escape. */
export function secretFor(name: string): string {
  return `é"&<${marker}${name}>/+ ${name}`;
}

/** The field that each secret for jobs is stored in, by the secret's environment key. */
export const secretSources = {
  APP_DEFAULT: 'the default of an App',
  COMPANY_SECRET: 'the environment of a company',
  TEMPLATE_SECRET: 'the environment of a template',
  TYPED_SECRET: 'a credential with a type',
  TYPE_DEFAULT: 'the default of a credential type',
  FREE_SECRET: 'a credential without a type',
  ONE_OFF_SECRET: 'the values of one job',
} as const;
export type SecretKey = keyof typeof secretSources;
const keys = Object.keys(secretSources) as SecretKey[];

/** The lines that a job prints when it got every secret: a digest of each, which does not reveal it. */
export const proofs = keys.map((key) => `${key} ${hash('sha256', secretFor(key), 'hex')}`);

const printProofs = keys.map((key) => `echo "${key} $(printf %s "$${key}" | sha256sum | cut -d' ' -f1)"`);

/** Saves one record through any channel, and returns its id. */
type Save = (resource: string, fields: object) => Promise<number>;

/**
 * Plants a secret in every field that takes one.
 * @param script runs in jobs after they have written their proofs.
 * @returns the template whose jobs get every secret; the one-off values must be given with each job.
 */
export async function plantSecrets(save: Save, script = ''): Promise<{ template: number; oneOff: object }> {
  const declared = Object.fromEntries(keys.map((key) => [key, { type: key === 'FREE_SECRET' ? 'text' : 'secret' }]));
  const app = await save('app', {
    name: 'Planted',
    code: 'planted',
    executable: '/bin/sh',
    arguments: ['-c', [...printProofs, script].join('\n'), 'sh', '{TEMPLATE_SECRET}'],
    environment: { ...declared, APP_DEFAULT: { type: 'password', default: secretFor('APP_DEFAULT') } },
  });
  const environment = { COMPANY_SECRET: secretFor('COMPANY_SECRET') };
  const company_id = await save('company', { code: 'planted', name: 'Planted', environment });
  const credential_type_id = await save('credential_type', {
    code: 'planted',
    name: 'Planted',
    fields: [
      { keyword: 'TYPED_SECRET', type: 'password' },
      { keyword: 'TYPE_DEFAULT', secret: true, default: secretFor('TYPE_DEFAULT') },
    ],
  });
  const typed = { TYPED_SECRET: secretFor('TYPED_SECRET') };
  const free = { FREE_SECRET: secretFor('FREE_SECRET') };
  const credentials = [
    await save('credential', { name: 'typed', company_id, credential_type_id, values: typed }),
    await save('credential', { name: 'free', company_id, values: free }),
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
      password: secretFor('SOURCE'),
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
  return { template, oneOff: { ONE_OFF_SECRET: secretFor('ONE_OFF_SECRET') } };
}
