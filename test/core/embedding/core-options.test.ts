import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  allResources,
  byRole,
  Core,
  type CoreOptions,
  defineResource,
  functions,
  memoryStore,
  type Store,
  text,
  trustedActor,
} from '@horarium/core';
import { NodeVault, newVaultKey, nodeClock, nodePorts } from '@horarium/core/node';
import { expect } from 'chai';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

/** A store as a database is one: it outlives the process. */
function durableStore(): Store {
  const { transaction, close } = memoryStore();
  return { kind: 'sqlite', transaction, close };
}

describe('A core with a store and executors alone', () => {
  const store = memoryStore();
  const core = new Core({ ...nodePorts(), store, executors: [] });

  it('has a default for every other option', async () => {
    expect(core).to.include({ clock: nodeClock, version: 'embedded' });
    expect(core.timezone).to.equal(Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(await core.status(core.actor('a program'))).to.include({ version: 'embedded' });
  });

  it('stores every kind of record of the product', async () => {
    for (const resource of core.resources)
      expect(await store.transaction((tables) => tables.of(resource).count()), resource.name).to.equal(0);
  });

  it('takes undefined for an option that is left out', () => {
    const options = { version: undefined, capacity: undefined } as unknown as Partial<CoreOptions>;
    expect(new Core({ ...nodePorts(), store, executors: [], ...options }).version).to.equal('embedded');
  });

  it('encrypts secrets with a key that ends with the process', async () => {
    const me = trustedActor('test');
    const company = await core.companies.save(me, { code: 'shop', name: 'Shop' });
    const { values } = await core.credentials.save(me, { name: 'x', company_id: company.id, values: { PIN: '1234' } });
    expect(JSON.stringify(values)).to.not.include('1234');
  });
});

describe('A core with a store that outlives the process', () => {
  it('rejects the default vault, because its secrets would be lost', () => {
    expect(() => new Core({ ...nodePorts(), store: durableStore(), executors: [] })).to.throw(
      'The store sqlite outlives this process, but the random key of its vault does not, so that its secrets would be lost. Give nodePorts() a vaultKey, or a vaultKeyFile where it may create one.',
    );
  });

  it('accepts a vault with a key of the program', () => {
    const ports = nodePorts({ vaultKey: newVaultKey() });
    expect(new Core({ ...ports, store: durableStore(), executors: [] })).to.be.instanceOf(Core);
  });
});

describe('The options of a core', () => {
  it('must hold every port; the message names those that are missing and where they come from', () => {
    const options = { executors: [functions()], store: memoryStore() } as unknown as CoreOptions;
    expect(() => new Core(options)).to.throw(
      'A core needs vault, digests, passwordHasher: memoryStore() of @horarium/core makes a store, nodePorts() of @horarium/core/node all else.',
    );
  });

  it('must not hold two executors of one name', () => {
    const executors = [functions(), functions()];
    expect(() => new Core({ ...nodePorts(), store: memoryStore(), executors })).to.throw(
      'Two executors have the name function.',
    );
  });

  it('may name other kinds of records, if the store in memory is made for them', async () => {
    const Plant = defineResource({
      name: 'Plant',
      names: { singular: 'plant', plural: 'plants', id: 'plantId' },
      description: 'A plant of the office.',
      example: { name: 'Fern' },
      operations: ['list', 'get', 'save', 'delete'],
      permissions: byRole({ read: 'viewer', write: 'admin' }),
      company: null,
      fields: { name: text(20).required() },
    });
    const resources = [...allResources, Plant];
    const core = new Core({ ...nodePorts(), store: memoryStore({ resources }), executors: [], resources });
    const fern = await core.records(Plant).save(core.actor('a program'), { name: 'Fern' });
    expect(fern).to.include({ id: 1, name: 'Fern', created: true });
  });
});

describe('nodePorts', () => {
  const plain = 'secret';

  it('makes a vault with the given keys', () => {
    const vaultKey = newVaultKey();
    const { vault } = nodePorts({ vaultKey });
    expect(new NodeVault(vaultKey).decrypt(vault.encrypt(plain, 'c'), 'c')).to.equal(plain);
  });

  it('makes a vault with the keys of a file, which it creates where there is none', () => {
    const folder = temporaryFolder('ports');
    const vaultKeyFile = join(folder, 'vault.key');
    const ciphertext = nodePorts({ vaultKeyFile }).vault.encrypt(plain, 'c');
    expect(readFileSync(vaultKeyFile, 'utf8')).to.match(/^\S{44}\n$/);
    expect(nodePorts({ vaultKeyFile }).vault.decrypt(ciphertext, 'c')).to.equal(plain);
    rmSync(folder, { recursive: true });
  });

  it('makes a vault with another key each time where no key is given', () => {
    const [one, other] = [nodePorts(), nodePorts()];
    expect(one.vault.fingerprint).to.not.equal(other.vault.fingerprint);
  });
});
