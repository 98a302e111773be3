import { Job, type JobRow, mask } from '@horarium/core';
import { NodeVault, newVaultKey } from '@horarium/core/node';
import { expect } from 'chai';
import { encryptGivenSecrets, redactOrMask, redactorOf } from '#core/job/given-secrets';
import { rotationRules } from '#core/resources';
import { KeyManager } from '#core/secret/key-manager';
import { mayEncrypt } from '#core/secret/key-registry';
import { newRow } from '#core/store/table';
import { companyWithSecrets } from '../../support/secrets/company-with-secrets.ts';
import { recordServices, recordWorld, root, vaultKey } from '../../support/worlds/record-world.ts';

const { vault } = recordServices;
const newKey = Buffer.alloc(32, 8).toString('base64');
const secrets = ['horse battery staple'];

describe('The secrets that a running attempt was given', () => {
  it('mask texts about it, together with the key of its heartbeats', async () => {
    const given_secrets = encryptGivenSecrets(vault, 7, secrets, true);
    const redactor = redactorOf(vault, { id: 7, given_secrets }, 'the-ping-key');
    expect(await redactOrMask(redactor, `${secrets[0]} the-ping-key`)).to.equal(`${mask} ${mask}`);
    const without = redactorOf(vault, { id: 7, given_secrets: null }, 'the-ping-key');
    expect(await redactOrMask(without, `${secrets[0]} the-ping-key`)).to.equal(`${secrets[0]} ${mask}`);
  });

  it('mask a text as a whole when they cannot be decrypted, or belong to another job', async () => {
    const given_secrets = encryptGivenSecrets(vault, 7, secrets, true);
    const lost = redactorOf(new NodeVault(newVaultKey()), { id: 7, given_secrets });
    expect(await redactOrMask(lost, 'anything')).to.equal(mask);
    expect(await redactOrMask(lost, '')).to.equal('');
    expect(await redactOrMask(redactorOf(vault, { id: 8, given_secrets }), 'anything')).to.equal(mask);
  });

  it('mask a text as a whole where they are more than an attempt may get', async () => {
    const redactorFor = (size: number) =>
      redactorOf(
        vault,
        { id: 7, given_secrets: encryptGivenSecrets(vault, 7, ['x'.repeat(size)], true) },
        'the-ping-key',
      );
    expect(await redactOrMask(redactorFor(64 * 1024), 'anything, the-ping-key')).to.equal(`anything, ${mask}`);
    expect(await redactOrMask(redactorFor(64 * 1024 + 1), 'anything')).to.equal(mask);
  });

  it('are stored encrypted, in a column that nobody sees', async () => {
    const { prepare } = await companyWithSecrets();
    const { prepared } = await prepare({ ONCE_KEY: 'once secret' });
    const { given_secrets } = prepared.columns;
    expect(given_secrets)
      .to.match(/^vault:v1:/)
      .and.not.to.include('once');
    const redactor = redactorOf(vault, { id: 7, given_secrets });
    expect(await redactor?.redact('db secret, firm secret, once secret')).to.equal(`${mask}, ${mask}, ${mask}`);
    expect(Job.columns.find(({ name }) => name === 'given_secrets')).to.include({ hidden: true, unaudited: true });
  });

  it('are encrypted with the newest key by a rotation while the attempt runs', async () => {
    const { world, template } = await companyWithSecrets();
    const { id: runtemplate_id, app_id, company_id } = template;
    const id = await world.store.transaction(root, async (tables) => {
      const of = { runtemplate_id, app_id, company_id, state: 'running' as const };
      const [inserted] = await tables.of(Job).insert([newRow(Job, { ...of, scheduled_at: 0 })]);
      const given_secrets = encryptGivenSecrets(vault, inserted as number, secrets, true);
      await tables.of(Job).updateWhere([['id', '=', inserted as number]], { given_secrets });
      return inserted as number;
    });
    const rotated = new NodeVault(`${newKey},${vaultKey}`);
    await new KeyManager({ store: world.database, vault: rotated, ...rotationRules() }).rotate();
    const [job] = await world.store.read((tables) => tables.of(Job).find({ where: [['id', '=', id]] }));
    const redactor = redactorOf(new NodeVault(newKey), job as JobRow);
    expect(await redactor?.redact(`it is ${secrets[0]}`)).to.equal(`it is ${mask}`);
  });

  it('are withheld by a host whose newest key a rotation has replaced', async () => {
    const world = recordWorld();
    const rotated = new NodeVault(`${newKey},${vaultKey}`);
    await new KeyManager({ store: world.database, vault: rotated, ...rotationRules() }).rotate();
    const may = (by: NodeVault) => world.store.read((tables) => mayEncrypt(tables, by));
    expect([await may(rotated), await may(new NodeVault(`${vaultKey},${newKey}`))]).to.deep.equal([true, false]);
    const given_secrets = encryptGivenSecrets(vault, 7, secrets, false);
    expect(given_secrets).to.equal(mask);
    expect(redactorOf(vault, { id: 7, given_secrets })).to.equal(null);
  });
});
