import { CredentialType, mask } from '@horarium/core';
import { expect } from 'chai';
import { companyWithSecrets } from '../../support/secrets/company-with-secrets.ts';

describe('prepareAttempts', () => {
  it('decrypts every secret for the job, and masks it in the columns of the job and in its output', async () => {
    const { prepare } = await companyWithSecrets();
    const { prepared } = await prepare({ ONCE_KEY: 'once secret', NEEDED: 'yes' });
    const secrets = {
      APP_KEY: 'app default',
      FIRM_KEY: 'firm secret',
      RUN_KEY: 'run secret',
      ONCE_KEY: 'once secret',
      DB_KEY: 'type default',
      DB_PASSWORD: 'db secret',
    };
    const PING_URL = 'https://h/ping?job=7&key=ping-key';
    expect(prepared.attempt.environment).to.include({ HORARIUM_PING_URL: PING_URL });
    expect(prepared.columns.environment['HORARIUM_PING_URL']).to.equal(mask);
    expect(await prepared.redactor.redact(`to ${PING_URL}`)).to.equal(`to https://h/ping?job=7&key=${mask}`);
    expect(prepared.attempt.environment).to.include({ ...secrets, PLACE: 'Brno', HORARIUM_COMPANY_CODE: 'acme' });
    expect(prepared.attempt.arguments).to.deep.equal(['--key=app default', 'Brno']);
    expect(prepared.refusal).to.equal(null);
    expect(prepared.columns.arguments).to.deep.equal([`--key=${mask}`, 'Brno']);
    for (const key of Object.keys(secrets)) expect(prepared.columns.environment[key]).to.equal(mask);
    for (const secret of Object.values(secrets)) {
      expect(JSON.stringify(prepared.columns)).not.to.include(secret);
      expect(await prepared.redactor.redact(`said ${secret}.`)).to.equal(`said ${mask}.`);
    }
  });

  it('decrypts no secret that the attempt does not get: others may be so many that decrypting them takes minutes', async () => {
    const { world, company, template, prepare } = await companyWithSecrets();
    const { decryptions } = await prepare({});
    const values = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`UNUSED_${index}`, 'a secret']));
    const unused = await world.save('Credential', { name: 'unused', company_id: company.id, values });
    const over = { name: 'over', company_id: company.id, values: { DB_PASSWORD: 'overridden' } };
    const overridden = await world.save('Credential', over);
    await world.save('Company', { id: company.id, environment: { FIRM_KEY: 'firm secret', ...values } });
    const credentials = [unused.id, overridden.id, ...(template['credentials'] as number[])];
    await world.save('RunTemplate', { id: template.id, credentials });
    const { prepared, decryptions: withOthers } = await prepare({});
    expect(withOthers).to.equal(decryptions);
    expect(prepared.attempt.environment).to.include({ DB_PASSWORD: 'db secret', DB_KEY: 'type default' });
    await world.save('RunTemplate', { id: template.id, credentials: [...credentials.slice(2), overridden.id] });
    expect((await prepare({})).prepared.attempt.environment).to.include({ DB_PASSWORD: 'overridden' });
  });

  it('masks values that are stored encrypted even if the app of the job does not declare them secret', async () => {
    const { world, company, template, prepare } = await companyWithSecrets();
    const other = { OTHER_KEY: { type: 'password' } };
    await world.save('App', { name: 'other', executable: 'x', environment: other });
    await world.save('Company', { id: company.id, environment: { OTHER_KEY: 'secret of another app' } });
    const [type] = await world.store.read((tables) => tables.of(CredentialType).find());
    const fields = [{ keyword: 'DB_KEY', default: mask }, { keyword: 'DB_PASSWORD' }];
    await world.save('CredentialType', { id: type?.id, fields });
    await world.save('App', { id: template.app_id, environment: { OTHER_KEY: {}, RUN_KEY: {}, APP_KEY: {} } });
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
      expect(await prepared.redactor.redact(`said ${secret}.`)).to.equal(`said ${mask}.`);
    }
  });

  it('gives out and masks secrets of 64 KiB together', async () => {
    const { world, template, prepare } = await companyWithSecrets();
    const secret = 'x'.repeat(32_768);
    await world.save('RunTemplate', { id: template.id, environment: { RUN_KEY: secret, NEEDED: 'yes' } });
    // The four others count 64 bytes each.
    const { prepared } = await prepare({ ONCE_KEY: 'y'.repeat(32_768 - 4 * 64) });
    expect(prepared.refusal).to.equal(null);
    expect(prepared.attempt.environment).to.include({ RUN_KEY: secret });
    expect(prepared.columns.arguments).to.deep.equal([`--key=${mask}`, 'Brno']);
    expect(await prepared.redactor.redact(`said ${btoa(secret)}.`)).to.match(new RegExp(`^said ${mask}`));
  });

  it('returns a refusal that names the size of larger secrets, and hands out and shows none of them', async () => {
    const { world, template, prepare } = await companyWithSecrets();
    await world.save('RunTemplate', { id: template.id, environment: { RUN_KEY: 'x'.repeat(32_768), NEEDED: 'yes' } });
    const overrides = { ONCE_KEY: 'é'.repeat((32_768 - 4 * 64) / 2 + 1) };
    const { prepared } = await prepare(overrides);
    expect(prepared.refusal).to.equal(
      'its environment could not be resolved: its secrets have 65538 bytes in all, where a shorter one counts as 64; at most 65536 are allowed',
    );
    expect([prepared.attempt.environment, prepared.columns.environment]).to.deep.equal([{}, {}]);
    expect([prepared.attempt.arguments, prepared.attempt.options]).to.deep.equal([['--key={APP_KEY}', '{PLACE}'], {}]);
    const elsewhere = await prepare(overrides, 'native', { withSecrets: false });
    expect(elsewhere.prepared.refusal).to.equal(prepared.refusal);
  });

  it('runs the app that the template has when the attempt is prepared', async () => {
    const { world, template, prepare } = await companyWithSecrets();
    const other = await world.save('App', { name: 'other', executable: '/bin/other', version: '2' });
    await world.save('RunTemplate', { id: template.id, app_id: other.id, environment: {} });
    const { prepared } = await prepare({});
    expect([prepared.attempt.executable, prepared.columns.app_version]).to.deep.equal(['/bin/other', '2']);
  });

  it('masks secret options of the executor, and passes them to no other executor', async () => {
    const { world, template, prepare } = await companyWithSecrets();
    const executor_options = { host: 'h', key: 'executor secret' };
    await world.save('RunTemplate', { id: template.id, executor: 'remote', executor_options });
    const { prepared } = await prepare({}, 'remote');
    expect(prepared.attempt.options).to.deep.equal(executor_options);
    expect(await prepared.redactor.redact('refused the key executor secret of h')).to.equal(
      `refused the key ${mask} of h`,
    );
    const onOtherExecutor = await prepare({}, 'native');
    expect(onOtherExecutor.prepared.attempt.options).to.deep.equal({});
  });

  it('returns a refusal when a required variable has no value', async () => {
    const { prepare } = await companyWithSecrets();
    expect((await prepare({})).prepared.refusal).to.equal('the required variable NEEDED has no value');
  });

  it('returns a refusal that names what is too large, and leaves the attempt without environment', async () => {
    const { world, template, prepare } = await companyWithSecrets();
    await world.save('RunTemplate', {
      id: template.id,
      environment: { PLACE: '{FIRM_KEY}'.repeat(3000), FIRM_KEY: 'x'.repeat(99) },
    });
    const { prepared } = await prepare({});
    expect(prepared.refusal).to.equal(
      'its environment could not be resolved: the variable PLACE has 297006 bytes; at most 131071 are allowed',
    );
    expect(prepared.attempt.environment).to.deep.equal({});
    expect(prepared.columns.arguments).to.deep.equal(['--key={APP_KEY}', '{PLACE}']);
  });

  it('returns a refusal without the value when a value is not of the declared type', async () => {
    const { world, template, prepare } = await companyWithSecrets();
    const environment = { FIRM_KEY: { type: 'integer' }, DB_PASSWORD: { type: 'integer' }, RUN_KEY: {} };
    await world.save('App', { id: template['app_id'], environment });
    const { prepared } = await prepare({});
    expect(prepared.refusal).to.equal(
      'the variable FIRM_KEY must be a whole number; the variable DB_PASSWORD must be a whole number',
    );
  });

  it('masks a secret that is split over two chunks of one stream, but not over two streams', async () => {
    const { prepare } = await companyWithSecrets();
    const { prepared } = await prepare({});
    const [stdout, stderr] = [prepared.redactor.stream(), prepared.redactor.stream()];
    const said = [...stdout.push(Buffer.from('x firm se'))];
    const complained = [...stderr.push(Buffer.from('cret'))];
    said.push(...stdout.push(Buffer.from('cret y')), stdout.end());
    expect(Buffer.concat(said).toString()).to.equal(`x ${mask} y`);
    expect(Buffer.concat([...complained, stderr.end()]).toString()).to.equal('cret');
  });
});
