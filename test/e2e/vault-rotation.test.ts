import { allTables, Credential, RecordCipher, type Store } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { openStore } from '../../adapters/mikro-orm/open-store.ts';
import { systemClock } from '../../adapters/node/system-clock.ts';
import { NodeVault } from '../../adapters/node/vault.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { plantSecrets, proofs } from '../support/planted/planted-secrets.ts';
import { SpawnedProgram, spawnService } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { dropDatabase, makeDatabase } from '../support/store/test-postgres.ts';

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const [older, newer] = [keyOf(7), keyOf(8)];
const withKeys = (...keys: string[]) => ({ HORARIUM_VAULT_KEY: keys.join() });
const credentialCount = 4000;

/** Inserts so many credentials directly into the store that a rotation can be killed while it runs. */
async function addCredentials(store: Store, company_id: number): Promise<void> {
  const vault = new NodeVault(older);
  await store.transaction(async (tables) => {
    const table = tables.of(Credential);
    const rows = Array.from({ length: credentialCount }, (_, at) => {
      const cipher = new RecordCipher(vault, Credential);
      const values = { KEY: cipher.encrypt(['values', 'KEY'], `secret ${at}`) };
      const written = { revision: 1, created_at: 0, updated_at: 0 };
      return { cipher, row: newRow(Credential, { ...written, name: `c${at}`, company_id, values }) };
    });
    const ids = await table.insert(rows.map(({ row }) => row));
    await table.update(
      rows.map(({ cipher, row }, at) => {
        const id = ids[at] as number;
        return { row: { ...row, id }, set: { cipher_key: cipher.cipherKeyFor(id) as string } };
      }),
    );
  });
}

/** Decrypts every value, and counts the credentials that are encrypted with the newest key. */
async function checkCredentials(store: Store) {
  const vault = new NodeVault(`${newer},${older}`);
  const rows = await store.transaction((tables) => tables.of(Credential).find(), { readOnly: true });
  for (const row of rows.filter(({ name }) => /^c\d+$/.test(name))) {
    const { KEY } = new RecordCipher(vault, Credential, row).decryptAll(['values'], row.values) as { KEY: string };
    expect(KEY).to.match(row.revision === 1 ? new RegExp(`^secret ${row.name.slice(1)}$`) : /^changed/);
  }
  const rotated = rows.filter(({ cipher_key, values }) =>
    [cipher_key, ...Object.values(values)].every((text) => vault.fingerprint.startsWith(vault.keyOf(String(text)))),
  );
  return { all: rows.length, rotated: rotated.length };
}

describe('vault:rotate while the service runs', () => {
  const checkRotation = async (database: string | undefined) => {
    using cli = new TestCli(database);
    const runJson = async (line: readonly string[], input = '', environment = withKeys(older)) => {
      const ran = await cli.run([...line, '--format', 'json'], { input, environment });
      expect(ran.code, ran.err).to.equal(0);
      return ran.json;
    };
    const programOptions = (...keys: string[]) => ({
      folder: cli.folder,
      environment: { ...cli.environment, ...withKeys(...keys) },
    });
    expect((await cli.command('migrate', { environment: withKeys(older) })).code).to.equal(0);
    const planted = await plantSecrets(
      async (resource, fields) => (await runJson([`${resource}:save`, '--json', '-'], JSON.stringify(fields))).id,
    );
    const url = cli.environment['HORARIUM_DATABASE_URL'] as string;
    const { store } = await openStore({ url, tables: allTables, clock: systemClock });
    try {
      await addCredentials(store, 1);
      const lastEntryId = (await runJson(['auditlog:list', '--limit', '1']))[0].id;

      // A rotation is refused while a service runs that does not have the key.
      const withoutKey = await spawnService(programOptions(older));
      await eventually('the worker is registered', async () => (await runJson(['status'])).workers.length > 0);
      const refused = await cli.run(['vault:rotate'], { environment: withKeys(newer, older) });
      expect(refused.err).to.match(
        /^The newest vault key \(\w{32}\) is not known yet to process \d+ on \S+: restart with/,
      );
      withoutKey.service.process.kill('SIGTERM');
      expect(await withoutKey.service.ended).to.equal(0);

      const withBoth = await spawnService(programOptions(newer, older));
      const oneOff = Object.entries(planted.oneOff).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
      const run = ['runtemplate:run', String(planted.template), '--at', '2099-01-01T00:00:00Z', ...oneOff];
      const { id: job } = await runJson(run, '', withKeys(older, newer));

      // A rotation that is killed midway leaves records under both keys.
      const killed = new SpawnedProgram(['vault:rotate'], programOptions(newer, older));
      await eventually('the rotation has begun', async () => {
        const [row] = await store.transaction((tables) => tables.of(Credential).find({ where: [['id', '=', 3]] }), {
          readOnly: true,
        });
        return !row?.cipher_key?.startsWith(`vault:v1:${new NodeVault(older).fingerprint.slice(0, 8)}`);
      });
      killed.process.kill('SIGKILL');
      expect(await killed.ended).to.equal('SIGKILL');
      const partial = await checkCredentials(store);
      expect(partial.rotated).to.be.above(0).and.below(partial.all);

      // Records that were not reached yet still need the old key.
      const tooEarly = await cli.run(['serve', '--port', '0'], { environment: withKeys(newer) });
      expect([tooEarly.code, tooEarly.out]).to.deep.equal([1, '']);
      expect(tooEarly.err).to.match(
        /^The vault key with the fingerprint \w{32} is missing, and \d+ records need it \(/,
      );
      expect(tooEarly.err)
        .to.match(/Credential: \d+/)
        .and.to.include('run "horarium vault:rotate" before it is dropped');

      // A second rotation completes the first one while clients write.
      const signIn = `Basic ${Buffer.from('admin:correct horse battery').toString('base64')}`;
      const ask = (path: string, body?: object) =>
        checkedFetch(`${withBoth.url}${path}`, {
          method: body ? 'POST' : 'GET',
          headers: { authorization: signIn, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
      const etag = async () => (await ask('/company/1.json')).headers.get('etag');
      const before = await etag();
      const second = new SpawnedProgram(['vault:rotate', '--format', 'json'], programOptions(newer, older));
      let ended = false;
      void second.ended.then(() => {
        ended = true;
      });
      let written = 0;
      for (let id = credentialCount; !ended; id -= 7) {
        const answer = await ask(`/credential/${id}.json`, { values: { KEY: `changed ${id}` } });
        expect(answer.status, await answer.text()).to.equal(200);
        written += 1;
      }
      expect(await second.ended, second.err).to.equal(0);
      expect(second.err).to.match(/^Credential: \d+ checked, \d+ encrypted again$/m);
      const done = JSON.parse(second.out);
      expect(done.key).to.equal(new NodeVault(newer).fingerprint);
      expect(done.reencrypted).to.be.above(0);
      const after = await checkCredentials(store);
      expect(after.rotated).to.equal(after.all);
      expect(await etag()).to.equal(before);

      // The audit log has entries for the changes and the job only.
      const entries = await runJson(['auditlog:list', '--limit', '1000', '--order', '-id'], '', withKeys(newer));
      expect(entries.filter((entry: { id: number }) => entry.id > lastEntryId)).to.have.length(written + 1);
      withBoth.service.process.kill('SIGTERM');
      expect(await withBoth.service.ended).to.equal(0);

      // Every secret still reaches the job without the old key.
      const last = await spawnService(programOptions(newer));
      await checkedFetch(`${last.url}/job/${job}.json`, {
        method: 'POST',
        headers: { authorization: signIn, 'content-type': 'application/json' },
        body: JSON.stringify({ scheduled_at: 'now' }),
      });
      const ran = await eventually('the job has ended', async () => {
        const shown = await runJson(['job:get', String(job)], '', withKeys(newer));
        return shown.finished_at && shown;
      });
      expect([ran.state, ran.stdout.trim().split('\n')], ran.reason).to.deep.equal(['succeeded', proofs]);
      expect((await runJson(['audit:verify'], '', withKeys(newer))).intact).to.equal(true);
      last.service.process.kill('SIGTERM');
      expect(await last.service.ended).to.equal(0);
      const old = await cli.run(['serve', '--port', '0'], { environment: withKeys(older) });
      expect(old.err).to.match(/^The vault key is not the one that the secrets in this store were encrypted with/);
    } finally {
      await store.close();
    }
  };

  it('loses no secret on SQLite when a rotation is killed midway', () => checkRotation(undefined)).timeout(120_000);

  it('loses no secret on PostgreSQL when a rotation is killed midway', async () => {
    const url = await makeDatabase();
    await checkRotation(url);
    await dropDatabase(url);
  }).timeout(120_000);
});
