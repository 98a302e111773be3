import { CredentialType, Job, type JobRow, mask, newRow, RunTemplate } from '@horarium/core';
import { expect } from 'chai';
import { prepareAttempts } from '#core/attempt/prepare-attempts';
import { decryptOverrides, encryptOverrides } from '#core/job/overrides';
import { type AnyRow, recordWorld, root, smallCompany, surroundings, wrongFields } from '../../support/record-world.ts';

const { vault } = surroundings;
const digests = { random: () => 'ping-key', sha256: (text: string) => `sha256 of ${text}` };
const context = { vault, digests, pingUrl: (id: number, key: string) => `https://h/ping?job=${id}&key=${key}` };

/** A company with a value and a secret in every layer. */
async function companyWithSecrets() {
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

describe('prepareAttempts', () => {
  it('decrypts every secret for the job, and masks it in the columns', async () => {
    const { prepare } = await companyWithSecrets();
    const { prepared } = await prepare({ ONCE_KEY: 'once secret', NEEDED: 'yes' });
    const secrets = {
      APP_KEY: 'app default',
      FIRM_KEY: 'firm secret',
      RUN_KEY: 'run secret',
      ONCE_KEY: 'once secret',
      DB_KEY: 'type default',
      DB_PASSWORD: 'db secret',
      HORARIUM_PING_URL: 'https://h/ping?job=7&key=ping-key',
    };
    expect(prepared.attempt.environment).to.include({ ...secrets, PLACE: 'Brno', HORARIUM_COMPANY_CODE: 'acme' });
    expect(prepared.attempt.arguments).to.deep.equal(['--key=app default', 'Brno']);
    expect(prepared.refusal).to.equal(null);
    expect(prepared.columns.arguments).to.deep.equal([`--key=${mask}`, 'Brno']);
    for (const key of Object.keys(secrets)) expect(prepared.columns.environment[key]).to.equal(mask);
    for (const secret of Object.values(secrets)) {
      expect(JSON.stringify(prepared.columns)).not.to.include(secret);
      expect(prepared.redact(`said ${secret}.`)).to.equal(`said ${mask}.`);
    }
  });

  it('masks values that are stored encrypted, also where the app of the job does not declare them secret', async () => {
    const { world, company, template, prepare } = await companyWithSecrets();
    const other = { OTHER_KEY: { type: 'password' } };
    await world.save('App', { name: 'other', executable: 'x', environment: other });
    await world.save('Company', { id: company.id, environment: { OTHER_KEY: 'secret of another app' } });
    const [type] = await world.store.read((tables) => tables.of(CredentialType).find());
    const fields = [{ keyword: 'DB_KEY', default: mask }, { keyword: 'DB_PASSWORD' }];
    await world.save('CredentialType', { id: type?.id, fields });
    await world.save('App', { id: template.app_id, environment: { ONCE_KEY: {}, RUN_KEY: {}, APP_KEY: {} } });
    const { prepared } = await prepare({});
    const secrets = {
      OTHER_KEY: 'secret of another app',
      RUN_KEY: 'run secret',
      DB_KEY: 'type default',
      DB_PASSWORD: 'db secret',
    };
    expect(prepared.attempt.environment).to.include(secrets);
    for (const [key, secret] of Object.entries(secrets)) {
      expect(prepared.columns.environment[key]).to.equal(mask);
      expect(prepared.redact(`said ${secret}.`)).to.equal(`said ${mask}.`);
    }
  });

  it('runs the app that the template has by now', async () => {
    const { world, template, prepare } = await companyWithSecrets();
    const other = await world.save('App', { name: 'other', executable: '/bin/other', version: '2' });
    await world.save('RunTemplate', { id: template.id, app_id: other.id });
    const { prepared } = await prepare({});
    expect([prepared.attempt.executable, prepared.columns.app_version]).to.deep.equal(['/bin/other', '2']);
  });

  it('masks secret options of the executor', async () => {
    const { world, template, prepare } = await companyWithSecrets();
    const executor_options = { host: 'h', key: 'executor secret' };
    await world.save('RunTemplate', { id: template.id, executor: 'remote', executor_options });
    const { prepared } = await prepare({}, 'remote');
    expect(prepared.attempt.options).to.deep.equal(executor_options);
    expect(prepared.redact('refused the key executor secret of h')).to.equal(`refused the key ${mask} of h`);
    const elsewhere = await prepare({}, 'native');
    expect(elsewhere.prepared.attempt.options, 'those of another executor').to.deep.equal({});
  });

  it('refuses an attempt whose required variables have no value', async () => {
    const { prepare } = await companyWithSecrets();
    expect((await prepare({})).prepared.refusal).to.equal('the required variable NEEDED has no value');
  });

  it('refuses an attempt whose value is not of the declared type, and does not show the value', async () => {
    const { world, template, prepare } = await companyWithSecrets();
    const environment = { FIRM_KEY: { type: 'integer' }, DB_PASSWORD: { type: 'integer' }, RUN_KEY: {} };
    await world.save('App', { id: template['app_id'], environment });
    const { prepared } = await prepare({});
    expect(prepared.refusal).to.equal(
      'the variable FIRM_KEY must be a whole number; the variable DB_PASSWORD must be a whole number',
    );
  });

  it('masks a secret that comes in two chunks of output', async () => {
    const { prepare } = await companyWithSecrets();
    const { prepared } = await prepare({});
    const bytes = (text: string) => new TextEncoder().encode(text);
    const shown = [
      prepared.redactOutput('stdout', bytes('x firm se'), false),
      prepared.redactOutput('stderr', bytes('cret'), false),
      prepared.redactOutput('stdout', bytes('cret y'), false),
      prepared.redactOutput('stdout', new Uint8Array(), true),
    ];
    expect(Buffer.concat(shown.filter((_, at) => at !== 1)).toString()).to.equal(`x ${mask} y`);
    expect(
      Buffer.concat([shown[1] as Uint8Array, prepared.redactOutput('stderr', new Uint8Array(), true)]).toString(),
    ).to.equal('cret');
  });
});

describe('One-off values of a job', () => {
  it('stores secrets encrypted, for that template only', async () => {
    const { prepare, template } = await companyWithSecrets();
    const { overrides } = await prepare({ ONCE_KEY: 'once secret', PLACE: 'Praha' });
    expect(overrides['PLACE']).to.equal('Praha');
    expect(overrides['ONCE_KEY']).not.to.include('once');
    expect(decryptOverrides(vault, template.id, overrides)).to.deep.equal({ ONCE_KEY: 'once secret', PLACE: 'Praha' });
    expect(() => decryptOverrides(vault, template.id + 1, overrides)).to.throw('A stored secret cannot be decrypted');
    const moved = { FIRM_KEY: overrides['ONCE_KEY'] as string };
    expect(() => decryptOverrides(vault, template.id, moved)).to.throw('A stored secret cannot be decrypted');
  });

  it('rejects undeclared keys, masks and ciphertexts', async () => {
    const { prepare } = await companyWithSecrets();
    expect(await wrongFields(prepare({ OTHER: 'x', DB_PASSWORD: 'x' }))).to.deep.equal([
      'environment.OTHER',
      'environment.DB_PASSWORD',
    ]);
    expect(await wrongFields(prepare({ ONCE_KEY: mask }))).to.deep.equal(['environment.ONCE_KEY']);
    const { overrides } = await prepare({ ONCE_KEY: 'x' });
    expect(await wrongFields(prepare(overrides))).to.deep.equal(['environment.ONCE_KEY']);
  });
});
