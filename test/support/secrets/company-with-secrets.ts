import { Job, type JobRow, newRow, RunTemplate } from '@horarium/core';
import { prepareAttempts } from '#core/attempt/prepare-attempts';
import { encryptOverrides } from '#core/job/overrides';
import { type AnyRow, recordServices, recordWorld, root, smallCompany } from '../worlds/record-world.ts';

const { vault } = recordServices;
const digests = { random: () => 'ping-key', sha256: (text: string) => `sha256 of ${text}` };
const context = { vault, digests, pingUrl: (id: number, key: string) => `https://h/ping?job=${id}&key=${key}` };

/** Creates a company with a value and a secret in every layer of the environment. */
export async function companyWithSecrets() {
  const world = recordWorld();
  const { app, company, template } = await smallCompany(world);
  await world.save('App', {
    id: app.id,
    arguments: ['--key={APP_KEY}', '{PLACE}'],
    environment: {
      APP_KEY: { type: 'password', default: 'app default' },
      FIRM_KEY: { type: 'secret' },
      RUN_KEY: { type: 'secret' },
      ONCE_KEY: { type: 'secret' },
      PLACE: { default: 'Brno' },
      NEEDED: { required: true },
    },
  });
  await world.save('Company', { id: company.id, environment: { FIRM_KEY: 'firm secret' } });
  const fields = [
    { keyword: 'DB_KEY', secret: true, default: 'type default' },
    { keyword: 'DB_PASSWORD', type: 'password' },
  ];
  const type = await world.save('CredentialType', { code: 'db', name: 'db', fields });
  const values = { DB_PASSWORD: 'db secret' };
  const credential = await world.save('Credential', {
    name: 'x',
    company_id: company.id,
    credential_type_id: type.id,
    values,
  });
  const environment = { RUN_KEY: 'run secret' };
  const row = await world.save('RunTemplate', { id: template.id, environment, credentials: [credential.id] });
  const prepare = (given: Record<string, string>, executor = 'native') =>
    world.store.transaction(root, async (tables) => {
      const [current] = await tables.of(RunTemplate).find({ where: [['id', '=', row.id]] });
      const overrides = await encryptOverrides(tables, vault, row, given);
      const job = {
        ...newRow(Job, { runtemplate_id: row.id, app_id: app.id, company_id: company.id, overrides, executor }),
        id: 7,
      };
      const claims = [{ job: job as JobRow, task: null, template: current as AnyRow }];
      const [prepared] = await prepareAttempts(tables, claims, context);
      return { overrides, prepared: prepared as NonNullable<typeof prepared> };
    });
  return { world, company, template: row as AnyRow, prepare };
}
