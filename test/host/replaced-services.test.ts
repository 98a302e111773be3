import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { MemoryStore, type Store, systemClock, tablesOf, trustedActor, type Vault, WorkerLease } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { NodeDigests, NodeVault } from '@horarium/core/node';
import { expect } from 'chai';
import {
  ContainerModule,
  httpModule,
  listen,
  openHost,
  prepareStore,
  readSettings,
  serviceIds,
  standardModel,
} from 'horarium/host';
import { pino } from 'pino';
import { argon2Hasher } from '../../adapters/node/password-hasher.ts';
import { replaceableServices } from '../../host/service-ids.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { rejectionOf } from '../support/mocha/rejection-of.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { QuickHasher } from '../support/secrets/quick-hasher.ts';

const memoryStore = () => new MemoryStore({ tables: tablesOf(standardModel.resources), clock: systemClock });
const newVault = () => new NodeVault(Buffer.alloc(32, 5).toString('base64'));

describe('A host with modules of its own', () => {
  let cli: TestCli;
  const events: string[] = [];
  beforeEach(() => {
    events.length = 0;
    cli = new TestCli(undefined, { HORARIUM_VAULT_KEY: '', HORARIUM_PORT: '0', HORARIUM_LOG_LEVEL: 'silent' });
  });
  afterEach(() => cli[Symbol.dispose]());

  const closed = (name: string) => async () => {
    await turn();
    events.push(`${name} closed`);
  };
  const open = async (...modules: ContainerModule[]) => {
    const machine = { cores: 2, timezone: 'UTC', terminal: false };
    const { config } = await readSettings({ environment: cli.environment, folder: cli.folder, machine });
    return openHost(config, { folder: cli.folder, modules });
  };
  const isVaultFileMissing = () => !existsSync(join(cli.folder, 'var'));

  it('keeps its own store, without opening the SQLite file, and closes it after the core', async () => {
    const store = memoryStore();
    const module = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.store)
        .toConstantValue(store)
        .onDeactivation(async (opened) => {
          await opened.close();
          await closed('store')();
        });
    });
    const vault = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.vault).toResolvedValue(newVault).onDeactivation(closed('vault'));
    });
    const host = await open(module, vault, httpModule());
    expect(await prepareStore(host)).to.deep.include({ migrations: [] });
    expect((await host.get(serviceIds.store)).kind).to.equal('memory');
    expect(await (await checkedFetch(`${await listen(host)}/api/v1/ping.json`)).json()).to.include({ pong: true });
    await host[Symbol.asyncDispose]();
    expect(events).to.deep.equal(['vault closed', 'store closed']);
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('refuses a command on a store of its own whose tables are not up to date', async () => {
    const module = new ContainerModule(({ rebind }) => {
      const schema = { pending: async () => ['initial'], migrate: async () => [] };
      rebind(serviceIds.store).toResolvedValue(() => Object.assign(memoryStore(), { close: closed('store'), schema }));
    });
    using custom = new TestCli(undefined, {}, { modules: [module] });
    expect(await custom.command('status')).to.include({
      code: 1,
      err: 'The database is of an older version and needs a migration. Back it up with that version first (horarium help upgrade); then "horarium serve" or "horarium migrate" makes it ready.\n',
    });
    expect(events).to.deep.equal(['store closed']);
  });

  it('has a vault for the life of the process on a store in memory, as its settings would give it', async () => {
    const module = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.store).toConstantValue(memoryStore());
    });
    await using host = await open(module);
    await prepareStore(host);
    expect(isVaultFileMissing()).to.equal(true);
  });

  it('stops a running core before it closes the store', async () => {
    const store = memoryStore();
    const transaction = store.transaction.bind(store);
    let isClosed = false;
    store.transaction = (work, options) => {
      if (isClosed) events.push('a transaction after the end');
      return transaction(work, options);
    };
    const module = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.vault).toConstantValue(newVault());
      rebind(serviceIds.store)
        .toConstantValue(store)
        .onDeactivation(() => {
          isClosed = true;
        });
    });
    const host = await open(module);
    await prepareStore(host);
    const core = await host.get(serviceIds.core);
    await core.start();
    await eventually('the worker has its lease', () =>
      transaction((tables) => tables.of(WorkerLease).count([]), { readOnly: true }),
    );
    await host[Symbol.asyncDispose]();
    const leases = await transaction((tables) => tables.of(WorkerLease).count([]), { readOnly: true });
    expect(leases).to.equal(0);
    expect(events).to.deep.equal([]);
  });

  it('does not close a store of its own that no binding says to close', async () => {
    const store: Store = memoryStore();
    store.close = closed('store');
    const host = await open(
      new ContainerModule(({ rebind }) => {
        rebind(serviceIds.store).toConstantValue(store);
        rebind(serviceIds.vault).toConstantValue(newVault());
      }),
    );
    await prepareStore(host);
    await host[Symbol.asyncDispose]();
    expect(events).to.deep.equal([]);
  });

  it('encrypts with its own vault, without a key file', async () => {
    const contexts: string[] = [];
    const vault: Vault = newVault();
    vault.encrypt = (plain, context) => {
      contexts.push(context);
      return NodeVault.prototype.encrypt.call(vault, plain, context);
    };
    const module = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.vault).toConstantValue(vault);
    });
    await using host = await open(module);
    await prepareStore(host);
    const core = await host.get(serviceIds.core);
    const actor = trustedActor('test');
    await core.records('Company').save(actor, { code: 'acme', name: 'Acme' });
    const values = { PIN: 'a secret' };
    await core.records('Credential').save(actor, { company_id: 1, name: 'c', values });
    expect(contexts.join()).to.include('Setting audit key').and.include('Credential');
    expect(isVaultFileMissing()).to.equal(true);
  });

  it('builds its own vault on the store', async () => {
    const module = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.vault).toResolvedValue(
        async (store: Store) => {
          events.push(`vault opened on ${store.kind}`);
          return newVault();
        },
        [serviceIds.store],
      );
    });
    await using host = await open(module);
    await host.get(serviceIds.core);
    await host.get(serviceIds.core);
    expect(events).to.deep.equal(['vault opened on sqlite']);
  });

  it('hashes passwords with its own hasher', async () => {
    const hasher = new QuickHasher();
    const module = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.passwordHasher).toConstantValue(hasher);
    });
    await using host = await open(module, httpModule());
    await prepareStore(host);
    const url = await listen(host);
    const authorization = `Basic ${Buffer.from('admin:correct horse battery').toString('base64')}`;
    expect((await checkedFetch(`${url}/api/v1/status`, { headers: { authorization } })).status).to.equal(200);
    expect(hasher.verifications).to.equal(1);
    expect(await host.get(serviceIds.passwordHasher)).to.not.equal(argon2Hasher);
  });

  it('makes tokens with its own digests', async () => {
    const digests = new NodeDigests();
    digests.random = () => 'r'.repeat(43);
    const module = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.digests).toConstantValue(digests);
    });
    await using host = await open(module);
    await prepareStore(host);
    const core = await host.get(serviceIds.core);
    const minted = await core.tokens.issue(trustedActor('test'), { login: 'admin', name: null, ttl: null });
    expect(minted.secret).to.include('r'.repeat(43));
  });

  it('tells the time by its own clock, plugins and store included', async () => {
    const clock = new StandingClock();
    clock.at = Date.UTC(2040, 0, 1);
    const module = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.clock).toConstantValue(clock).onDeactivation(closed('clock'));
    });
    const host = await open(module);
    await prepareStore(host);
    const core = await host.get(serviceIds.core);
    expect(core.clock).to.equal(clock);
    const row = await core.records('Company').save(trustedActor('test'), { code: 'acme', name: 'Acme' });
    expect(new Date(row['created_at'] as number).getUTCFullYear()).to.equal(2040);
    await host[Symbol.asyncDispose]();
    expect(events).to.deep.equal(['clock closed']);
  });

  it('writes to its own log', async () => {
    const lines: string[] = [];
    const module = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.log).toConstantValue(pino({}, { write: (line: string) => void lines.push(line) }));
    });
    await using host = await open(module, httpModule());
    await prepareStore(host);
    const url = await listen(host);
    const authorization = `Basic ${Buffer.from('admin:a wrong password').toString('base64')}`;
    expect((await checkedFetch(`${url}/api/v1/status`, { headers: { authorization } })).status).to.equal(401);
    expect(lines.join('')).to.include('a sign-in was refused');
  });

  it('listens by its own server', async () => {
    const server = {
      listen: async (port: number, host: string) => `http://${host}:${port + 8081}`,
      reloadTls: () => {},
      close: closed('server'),
    };
    const module = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.server)
        .toConstantValue(server)
        .onDeactivation(() => server.close());
    });
    const host = await open(module, httpModule());
    expect(await listen(host)).to.equal('http://127.0.0.1:8081');
    expect(await host.get(serviceIds.address)).to.deep.equal({ url: 'http://127.0.0.1:8081' });
    await host[Symbol.asyncDispose]();
    expect(events).to.deep.equal(['server closed']);
  });

  it('opens a replaced service once, and only when it is needed', async () => {
    const module = new ContainerModule(async ({ rebindAsync, onDeactivation }) => {
      const binding = await rebindAsync(serviceIds.vault);
      binding.toResolvedValue(async () => {
        events.push('vault opened');
        return newVault();
      });
      onDeactivation(serviceIds.vault, closed('vault'));
    });
    const host = await open(module);
    expect(events).to.deep.equal([]);
    await prepareStore(host);
    expect(events).to.deep.equal(['vault opened']);
    await host[Symbol.asyncDispose]();
    expect(events).to.deep.equal(['vault opened', 'vault closed']);
    await (await open(module))[Symbol.asyncDispose]();
    expect(events).to.have.length(2);
  });

  it('rejects a module that binds anything that cannot be replaced, and names what was probably meant', async () => {
    const all = replaceableServices.join(', ');
    const cases: [symbol | string, string][] = [
      [Symbol.for('horarium.vualt'), `binds vualt, but modules may replace only ${all}. Did you mean vault?`],
      ['clok', `binds clok, but modules may replace only ${all}. Did you mean clock?`],
      [serviceIds.core as symbol, `binds core, but modules may replace only ${all}.`],
      [undefined as never, `binds undefined, but modules may replace only ${all}.`],
    ];
    for (const [id, message] of cases)
      for (const name of ['bind', 'rebind', 'rebindAsync', 'onDeactivation'] as const) {
        const module = new ContainerModule(async (options) => {
          if (name === 'onDeactivation') options.onDeactivation(id, closed('it'));
          else (await options[name](id)).toConstantValue({});
        });
        const error = await rejectionOf(open(module));
        expect([error.message, (error as { code?: string }).code]).to.deep.equal([
          `A module of this host ${message}`,
          'invalid',
        ]);
      }
  });

  it('rejects modules that bind the same service', async () => {
    const module = () =>
      new ContainerModule(({ bind }) => {
        bind(serviceIds.vault).toConstantValue(newVault());
      });
    const error = await rejectionOf(open(module(), module()));
    expect(error.message).to.equal('The service vault is bound twice by the modules of this host.');
  });

  it('closes what was opened when a plugin stops its start', async () => {
    cli[Symbol.dispose]();
    cli = new TestCli(undefined, { HORARIUM_PLUGINS: 'formt-json' });
    const module = new ContainerModule(({ rebind }) => {
      rebind(serviceIds.clock).toConstantValue(new StandingClock()).onDeactivation(closed('clock'));
    });
    expect((await rejectionOf(open(module))).message).to.include('formt-json');
    expect(events).to.deep.equal(['clock closed']);
  });
});
