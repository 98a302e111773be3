import { App, allTables, Credential, Job, WorkerLease } from '@horarium/core';
import { NodeVault } from '@horarium/core/node';
import { expect } from 'chai';
import { decryptOverrides, encryptOverrides } from '#core/job/overrides';
import { rotationRules } from '#core/resources';
import { KeyManager } from '#core/secret/key-manager';
import { RecordCipher } from '#core/secret/record-cipher';
import { readById } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { secret } from '../../support/secrets/secret-checks.ts';
import {
  type AnyRow,
  type RecordWorld,
  recordServices,
  recordWorld,
  refusal,
  root,
  smallCompany,
  vaultKey,
} from '../../support/worlds/record-world.ts';

const newKey = Buffer.alloc(32, 8).toString('base64');
const oldAndNewKey = new NodeVault(`${newKey},${vaultKey}`);
const newKeyOnly = new NodeVault(newKey);

const keeper = (world: RecordWorld, vault = oldAndNewKey) =>
  new KeyManager({ store: world.database, vault, ...rotationRules() });

/** Every table as it is stored. */
const stored = (world: RecordWorld) =>
  world.store.read(async (tables) => {
    const all = [];
    for (const table of allTables) all.push([table.name, await tables.of(table).find()]);
    return JSON.stringify(all);
  });

const credentials = (world: RecordWorld) => world.store.read((tables) => tables.of(Credential).find());

/** A service that began under the old key, with a secret in every place that takes one. */
async function oldWorld() {
  const world = recordWorld();
  await keeper(world, recordServices.vault as NodeVault).check();
  const { app, company, template } = await smallCompany(world);
  await world.save('App', { id: app.id, environment: { KEY: { type: 'secret', default: secret } } });
  await world.save('Company', { id: company.id, environment: { KEY: secret, PLACE: 'here' } });
  const fields = [{ keyword: 'PIN', secret: true, default: secret }, { keyword: 'USER' }];
  const type = await world.save('CredentialType', { code: 't', name: 't', fields });
  await world.save('RunTemplate', {
    id: template.id,
    environment: { KEY: secret },
    executor: 'remote',
    executor_options: { host: 'h', key: secret },
    on_failure: [{ action: 'webhook', url: 'https://example.com', secret }],
  });
  const owned = { company_id: company.id, credential_type_id: type.id };
  const credential = await world.save('Credential', { name: 'c', ...owned, values: { PIN: secret, USER: 'eva' } });
  await world.save('Credential', { name: 'free', company_id: company.id, values: { ANY: secret } });
  await world.save('EventSource', { name: 's', kind: 'changes-table', options: { host: 'h', password: secret } });
  const job = await world.store.transaction(root, async (tables) => {
    const owner = { template, app: await readById(tables, App, app.id) };
    const overrides = await encryptOverrides(tables, recordServices.vault, owner, { KEY: secret });
    const of = { runtemplate_id: template.id, app_id: app.id, company_id: company.id };
    const [id] = await tables.of(Job).insert([newRow(Job, { ...of, scheduled_at: 0, overrides })]);
    return id as number;
  });
  return { world, app, company, template, credential, job };
}

describe('rotateVault', () => {
  it('encrypts every secret of the store with the newest key, so that the old key may be dropped', async () => {
    const { world, template, job } = await oldWorld();
    const done = await keeper(world).rotate();
    // App, Company, CredentialType, RunTemplate, two Credentials, EventSource, Job and the key of the audit log.
    expect([done.key, done.reencrypted]).to.deep.equal([newKeyOnly.fingerprint, 9]);
    expect(await stored(world)).not.to.include(`vault:v1:${recordServices.vault.fingerprint.slice(0, 8)}`);
    await keeper(world, newKeyOnly).check();
    let seen = 0;
    await world.store.read(async (tables) => {
      for (const table of allTables.filter(({ fields }) => fields['cipher_key']))
        for (const row of (await tables.of(table).find()) as AnyRow[]) {
          const cipher = new RecordCipher(newKeyOnly, table, row);
          for (const { name } of table.columns.filter(({ kind }) => kind === 'json'))
            seen += JSON.stringify(cipher.decryptAll([name], row[name])).split(secret).length - 1;
        }
      const [row] = await tables.of(Job).find({ where: [['id', '=', job]] });
      expect(decryptOverrides(newKeyOnly, template.id, row?.overrides ?? {})).to.deep.equal({ KEY: secret });
    });
    expect(seen).to.equal(9);
  });

  it('writes no audit entry and no new version, and changes nothing but ciphertext', async () => {
    const { world, company } = await oldWorld();
    const entries = await world.audit();
    const before = await world.records('Company').get(root, company.id);
    await keeper(world).rotate();
    const after = await world.records('Company').get(root, company.id);
    expect(await world.audit()).to.deep.equal(entries);
    expect({ ...after, environment: null, cipher_key: null }).to.deep.equal({
      ...before,
      environment: null,
      cipher_key: null,
    });
    expect(after.environment.PLACE).to.equal('here');
  });

  it('writes nothing when it is run again', async () => {
    const { world } = await oldWorld();
    await keeper(world).rotate();
    const after = await stored(world);
    expect((await keeper(world).rotate()).reencrypted).to.equal(0);
    expect(await stored(world)).to.equal(after);
  });

  it('reports its progress', async () => {
    const { world } = await oldWorld();
    const progress: string[] = [];
    const shares: number[] = [];
    await keeper(world).rotate(({ resource, checked, reencrypted, share }) => {
      progress.push(`${resource} ${checked} ${reencrypted}`);
      shares.push(share);
    });
    expect(progress.slice(0, 9)).to.include.members(['Credential 2 2', 'Company 1 1', 'Job 1 1', 'EventSource 1 1']);
    // The second pass finds nothing more, and begins again.
    const first = shares.slice(0, shares.length / 2);
    expect(first).to.deep.equal(first.toSorted((one, other) => one - other));
    expect([first.at(-1), shares.at(-1)]).to.deep.equal([1, 1]);
  });

  it('makes a change fail whose record was read before the rotation', async () => {
    const { world, credential } = await oldWorld();
    const rename = world.store.transaction(root, async (tables) => {
      // As on a database where a rotation may be committed between the two.
      await tables
        .of(Credential)
        .update([{ row: { ...credential, cipher_key: 'vault:v1:old' }, set: { name: 'other' } }]);
    });
    const error: unknown = await rename.catch((thrown: unknown) => thrown);
    expect((error as Error).name).to.equal('StaleRow');
    expect((await world.records('Credential').get(root, credential.id)).name).to.equal('c');
  });

  it('keeps hosts that use another key from encrypting anything', async () => {
    const { world, company } = await oldWorld();
    await keeper(world).rotate();
    const late = world.save('Credential', { name: 'late', company_id: company.id, values: { PIN: 'another' } });
    const error = await refusal(late);
    expect([error.code, error.message]).to.deep.equal([
      'unavailable',
      `Secrets were rotated to the vault key ${newKeyOnly.fingerprint}, but the newest key of this host is ${recordServices.vault.fingerprint}: put the rotated key first in HORARIUM_VAULT_KEY or the key file, and restart the host.`,
    ]);
    expect((await world.save('Company', { id: company.id, name: 'No secret' })).name).to.equal('No secret');
  });

  it('allows a newer key to encrypt before the next rotation', async () => {
    const world = recordWorld();
    await keeper(world, newKeyOnly).check();
    await keeper(world, newKeyOnly).rotate();
    const { company } = await smallCompany(world);
    const early = world.save('Credential', { name: 'early', company_id: company.id, values: { ANY: secret } });
    expect((await refusal(early)).code).to.equal('unavailable');
    // The world's own key comes as a newer one.
    const next = new NodeVault(`${vaultKey},${newKey}`);
    await keeper(world, next).check();
    await world.save('Credential', { name: 'timely', company_id: company.id, values: { ANY: secret } });
    expect((await keeper(world, next).rotate()).reencrypted).to.equal(1);
    await keeper(world, recordServices.vault as NodeVault).check();
  });

  it('stops when a host is started with a newer key', async () => {
    const { world } = await oldWorld();
    const third = new NodeVault(`${Buffer.alloc(32, 9).toString('base64')},${newKey},${vaultKey}`);
    let started: Promise<unknown> | undefined;
    const error = await refusal(
      keeper(world).rotate(({ resource }) => {
        if (resource === 'Company') started ??= keeper(world, third).check();
      }),
    );
    expect([error.code, error.message]).to.deep.equal([
      'conflict',
      'A host with a different newest vault key was started during the rotation: list the keys in the same order on every host, and rotate again.',
    ]);
    await started;
    await keeper(world, third).rotate();
  });

  it('stops when another host rotates to another key', async () => {
    const { world } = await oldWorld();
    const third = new NodeVault(`${Buffer.alloc(32, 9).toString('base64')},${newKey},${vaultKey}`);
    await keeper(world, third).check();
    let other: Promise<unknown> | undefined;
    const error = await refusal(
      keeper(world).rotate(({ resource }) => {
        if (resource === 'Company') other ??= keeper(world, third).rotate();
      }),
    );
    expect([error.code, error.message]).to.deep.equal([
      'conflict',
      `Another host is rotating the secrets to the vault key ${third.fingerprint}.`,
    ]);
    await other;
    await keeper(world, new NodeVault(Buffer.alloc(32, 9).toString('base64'))).check();
  });

  it('rejects to begin while a live worker lacks the newest key', async () => {
    const { world } = await oldWorld();
    await world.database.transaction(async (tables) => {
      const life = { host: 'h', started_at: 0, capacity: 1 };
      const until = (await tables.now()) + 1000;
      const keys = { old: recordServices.vault.fingerprint, both: oldAndNewKey.fingerprints.join() };
      await tables
        .of(WorkerLease)
        .insert([
          newRow(WorkerLease, { ...life, name: 'a', pid: 1, lease_until: until, vault_keys: keys.old }),
          newRow(WorkerLease, { ...life, name: 'b', pid: 2, lease_until: until, vault_keys: keys.both }),
          newRow(WorkerLease, { ...life, name: 'c', pid: 3, lease_until: until - 1000, vault_keys: keys.old }),
        ]);
    });
    const before = (await credentials(world)).map(({ cipher_key }) => cipher_key);
    const error = await refusal(keeper(world).rotate());
    expect([error.code, error.message]).to.deep.equal([
      'conflict',
      `The newest vault key (${newKeyOnly.fingerprint}) is not known yet to process 1 on h: restart with it first. A process that was killed is named until its lease has run out.`,
    ]);
    expect((await credentials(world)).map(({ cipher_key }) => cipher_key)).to.deep.equal(before);
    world.advance(1001);
    await keeper(world).rotate();
  });

  it('names records that cannot be decrypted, rotates all others, and keeps the old key required', async () => {
    const { world, credential } = await oldWorld();
    await world.database.transaction(async (tables) => {
      const [row] = await tables.of(Credential).find({ where: [['id', '=', credential.id]] });
      const broken = recordServices.vault.encrypt('x', 'elsewhere');
      await tables.of(Credential).update([{ row: row as AnyRow, set: { cipher_key: broken } }]);
    });
    const error = await refusal(keeper(world).rotate());
    expect([error.code, error.message]).to.deep.equal([
      'conflict',
      `Everything else is encrypted with the newest key, but secrets of Credential ${credential.id} cannot be decrypted: they were changed or moved. Set them again or delete them, and rotate again before an older key is dropped.`,
    ]);
    expect((await refusal(keeper(world, newKeyOnly).check())).message).to.include('1 record needs it (Credential: 1)');
    await world.records('Credential').delete(root, credential.id);
    await keeper(world).rotate();
    await keeper(world, newKeyOnly).check();
  });
});
