import { setImmediate } from 'node:timers/promises';
import { Credential, ciphertextPrefix, mask, RunTemplate, serializeRow, Token, User } from '@horarium/core';
import { expect } from 'chai';
import { isCiphertext } from '#core/secret/ciphertext';
import { newRow } from '#core/store/table';
import { decryptField, expectNotLogged, secret } from '../../support/secrets/secret-checks.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';
import {
  type AnyRow,
  invalidFields,
  type RecordWorld,
  recordServices,
  recordWorld,
  refusal,
  root,
  smallCompany,
  user,
} from '../../support/worlds/record-world.ts';

describe('Password of a user', () => {
  it('is stored as a hash that no answer and no audit entry shows', async () => {
    const world = recordWorld();
    const user = await world.save('User', { login: 'eva', password: secret });
    expect(user.password).to.match(/^\$argon2id\$/);
    expect(await recordServices.passwordHasher.verify(user.password, secret)).to.equal(true);
    expect(serializeRow(User, user)).not.to.have.property('password');
    await expectNotLogged(world, secret);
    expect((await world.audit()).at(-1)?.changes['password']).to.deep.equal([null, mask]);
  });

  it('is a change of the user only when it differs from the stored one', async () => {
    const world = recordWorld();
    const user = await world.save('User', { login: 'eva', password: secret });
    expect((await world.save('User', { login: 'eva', password: secret })).password).to.equal(user.password);
    expect(await world.audit()).to.have.length(1);
    expect((await world.save('User', { login: 'eva', first_name: 'E' })).password).to.equal(user.password);
    expect((await world.save('User', { login: 'eva', password: `${secret}!` })).password).not.to.equal(user.password);
    expect((await world.audit()).at(-1)?.changes).to.deep.equal({ password: [mask, mask] });
  });

  it('is hashed before the transaction that saves it begins, so that others commit meanwhile', async () => {
    const core = new MemoryCore();
    const { passwordHasher } = core;
    const quickHash = passwordHasher.hash.bind(passwordHasher);
    let commits = 0;
    passwordHasher.hash = async (password) => {
      await core.records('Topic').save(root, { name: `saved while a hash is computed ${commits++}` });
      return quickHash(password);
    };
    const row = await core.records(User).save(root, { login: 'eva', password: secret });
    await core.records(User).save(root, { login: 'eva', password: `${secret}!` });
    await core.records(User).save(root, { password: `${secret}?` }, { id: row.id });
    expect(commits).to.equal(3);
  });

  it('is hashed for four saves at once at most', async () => {
    const core = new MemoryCore();
    const { passwordHasher } = core;
    const quickHash = passwordHasher.hash.bind(passwordHasher);
    let running = 0;
    let max = 0;
    passwordHasher.hash = async (password) => {
      max = Math.max(max, ++running);
      await setImmediate();
      running--;
      return quickHash(password);
    };
    const logins = Array.from({ length: 12 }, (_, n) => `eva${n}`);
    await Promise.all(logins.map((login) => core.records(User).save(root, { login, password: secret })));
    expect(max).to.equal(4);
  });

  it('is not hashed for an actor who may not save it, nor while it is invalid', async () => {
    const core = new MemoryCore();
    const chief = await core.addUser('chief', secret);
    core.passwordHasher.hash = () => Promise.reject(new Error('A hash was computed.'));
    const refused = [
      core.records(User).save(user(chief + 1, ['editor']), { login: 'eva', password: secret }),
      core.records(User).save(user(chief + 1, ['admin']), { login: 'chief', password: secret }),
      core.records(User).save(user(chief + 1, ['admin']), { password: secret }, { id: chief }),
      core.records(User).save(root, { login: 'eva', password: 'short' }),
    ];
    const codes = await Promise.all(refused.map(async (save) => (await refusal(save)).code));
    expect(codes).to.deep.equal(['denied', 'denied', 'denied', 'invalid']);
  });

  it('is hashed in the transaction of a caller that did not hash it before', async () => {
    const core = new MemoryCore();
    const row = await core.store.transaction(root, (tables) =>
      core.records(User).saveIn(tables, root, { login: 'eva', password: secret }, {}),
    );
    expect(await core.passwordHasher.verify(String(row.password), secret)).to.equal(true);
  });

  it('is not shown in the error that rejects it', async () => {
    const world = recordWorld();
    for (const password of ['short-pass', 987654321987654, { p: 'short-pass' }, ['short-pass']]) {
      const error = await refusal(world.save('User', { login: 'eva', password }));
      expect(`${error.message} ${JSON.stringify(error.errors)}`).not.to.match(/short-pass|987654321987654/);
    }
  });
});

describe('Token', () => {
  it('does not show its hash in the audit log', async () => {
    const world = recordWorld();
    const user = await world.save('User', { login: 'eva' });
    const row = newRow(Token, { user_id: user.id, kind: 'cli', hash: 'f00dfeed' });
    await world.store.transaction(root, (tables) => tables.of(Token).insert([row]));
    await expectNotLogged(world, 'f00dfeed');
    expect(serializeRow(Token, row)).not.to.have.property('hash');
  });
});

describe('Credential', () => {
  const typed = async (world: RecordWorld) => {
    const { company } = await smallCompany(world);
    const type = await world.save('CredentialType', {
      code: 'db',
      name: 'Database',
      fields: [
        { keyword: 'DB_USER' },
        { keyword: 'DB_PASSWORD', type: 'password', required: true },
        { keyword: 'DB_KEY', secret: true },
      ],
    });
    const values = { DB_USER: 'eva', DB_PASSWORD: secret };
    const fields = { name: 'x', company_id: company.id, credential_type_id: type.id };
    return { fields, type, credential: await world.save('Credential', { ...fields, values }) };
  };

  it('is listed by a template at most a hundred times, because each attempt reads what is listed', async () => {
    const world = recordWorld();
    const { credential } = await typed(world);
    const [template] = await world.store.read((tables) => tables.of(RunTemplate).find());
    const list = (count: number) =>
      world.save('RunTemplate', { id: template?.id, credentials: Array.from({ length: count }, () => credential.id) });
    await list(100);
    expect(await invalidFields(list(101))).to.deep.equal(['credentials']);
  });

  it('may be saved again as it is shown, however near its values are to their limit', async () => {
    const world = recordWorld();
    const { company } = await smallCompany(world);
    const values = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`KEY_${index}`, 'x'.repeat(65)]));
    const fields = { name: 'large', company_id: company.id, values };
    const { id } = await world.save('Credential', fields);
    const shown = Object.fromEntries(Object.keys(values).map((key) => [key, mask]));
    const again = await world.save('Credential', { id, values: shown });
    expect(decryptField(Credential, again, 'values')).to.deep.equal(values);
  });

  it('has at most 64 KiB of secrets, and its error names the value with which they are more', async () => {
    const world = recordWorld();
    const { type, credential } = await typed(world);
    await world.save('CredentialType', {
      id: type.id,
      fields: [...type.fields, { keyword: 'NOTE', type: 'textarea' }],
    });
    const most = 64 * 1024 - 64;
    const save = (values: object) => world.save('Credential', { id: credential.id, values });
    const error = await refusal(save({ DB_KEY: `${'x'.repeat(most - 2)}é!` }));
    expect(error).to.include({ code: 'invalid' });
    expect(error.errors).to.deep.equal([
      {
        field: 'values.DB_KEY',
        message:
          'values.DB_KEY makes the secrets too large: at most 65536 bytes are allowed together, and each counts 64 at least',
      },
    ]);
    await save({ DB_KEY: `${'x'.repeat(most - 2)}é`, NOTE: 'not secret '.repeat(100) });
    const password = secret.repeat(3);
    expect(await invalidFields(save({ DB_PASSWORD: password }))).to.deep.equal(['values.DB_PASSWORD']);
    await save({ DB_PASSWORD: password, DB_KEY: null });
  });

  it('encrypts its secret values, and shows them as the mask or, when unset, as null', async () => {
    const world = recordWorld();
    const { credential } = await typed(world);
    expect(isCiphertext(credential.values.DB_PASSWORD)).to.equal(true);
    expect(serializeRow(Credential, credential)['values']).to.deep.equal({
      DB_USER: 'eva',
      DB_PASSWORD: mask,
      DB_KEY: null,
    });
    expect(serializeRow(Credential, credential)).not.to.have.property('cipher_key');
    expect(decryptField(Credential, credential, 'values')).to.include({ DB_PASSWORD: secret });
    await expectNotLogged(world, secret);
  });

  it('keeps what is stored when the mask is sent back or the key is left out', async () => {
    const world = recordWorld();
    const { credential } = await typed(world);
    const entries = (await world.audit()).length;
    for (const values of [{ DB_PASSWORD: mask }, {}, { DB_USER: 'eva' }, { DB_PASSWORD: secret }]) {
      const again = await world.save('Credential', { id: credential.id, values });
      expect(again.values).to.deep.equal(credential.values);
    }
    expect(await world.audit()).to.have.length(entries);
  });

  it('stores another secret and clears one that is set to null', async () => {
    const world = recordWorld();
    const { credential } = await typed(world);
    const set = await world.save('Credential', { id: credential.id, values: { DB_KEY: 'k1', DB_PASSWORD: 'other' } });
    expect(decryptField(Credential, set, 'values')).to.deep.equal({
      DB_USER: 'eva',
      DB_PASSWORD: 'other',
      DB_KEY: 'k1',
    });
    const cleared = await world.save('Credential', { id: credential.id, values: { DB_KEY: null } });
    expect(cleared.values.DB_KEY).to.equal(null);
    const required = world.save('Credential', { id: credential.id, values: { DB_PASSWORD: null } });
    expect(await invalidFields(required)).to.deep.equal(['values.DB_PASSWORD']);
    await expectNotLogged(world, secret, 'other', 'k1');
  });

  it('rejects a mask where nothing is stored, and text that begins like a ciphertext', async () => {
    const world = recordWorld();
    const { fields, credential } = await typed(world);
    const masked = world.save('Credential', { ...fields, values: { DB_PASSWORD: mask } });
    expect(await invalidFields(masked)).to.deep.equal(['values.DB_PASSWORD']);
    const stolen = { id: credential.id, values: { DB_KEY: credential.values.DB_PASSWORD } };
    const error = await refusal(world.save('Credential', stolen));
    expect(error.errors.map(({ field }) => field)).to.deep.equal(['values.DB_KEY']);
    expect(error.message).not.to.include(credential.values.DB_PASSWORD);
    expect(await invalidFields(world.save('Topic', { name: `${ciphertextPrefix}x` }))).to.deep.equal(['name']);
  });

  it('treats every value as secret when it has no type', async () => {
    const world = recordWorld();
    const { company } = await smallCompany(world);
    const values = { ANY: 'any value', NUMBER: 424242, UNSET: null };
    const credential = await world.save('Credential', { name: 'x', company_id: company.id, values });
    expect(serializeRow(Credential, credential)['values']).to.deep.equal({ ANY: mask, NUMBER: mask, UNSET: null });
    await expectNotLogged(world, 'any value', '424242');
  });

  it('is not decrypted in another record or another field', async () => {
    const world = recordWorld();
    const { fields, credential } = await typed(world);
    const other = await world.save('Credential', { ...fields, values: { DB_PASSWORD: 'other' } });
    const copies: AnyRow[] = [
      { ...other, values: credential.values },
      { ...other, values: credential.values, cipher_key: credential.cipher_key },
      { ...credential, values: { DB_KEY: credential.values.DB_PASSWORD } },
    ];
    for (const row of copies)
      expect(() => decryptField(Credential, row, 'values')).to.throw('A stored secret cannot be decrypted');
    expect(decryptField(Credential, other, 'values')).to.include({ DB_PASSWORD: 'other' });
  });

  it('has one audit entry for its creation, like every record', async () => {
    const world = recordWorld();
    const { credential } = await typed(world);
    const entries = (await world.audit()).filter((entry) => entry.entity_type === 'Credential');
    expect(entries.map((entry) => entry.action)).to.deep.equal(['create']);
    expect(credential.revision).to.equal(1);
  });
});
