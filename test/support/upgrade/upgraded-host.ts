import { rmSync } from 'node:fs';
import type { Core, Milliseconds } from '@horarium/core';
import { ContainerModule, httpModule, openHost, prepareStore, readSettings, serviceIds } from 'horarium/host';
import { MovableClock } from '../clocks/movable-clock.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { databaseKinds } from '../store/test-databases.ts';
import { StoreClient } from './store-client.ts';
import { loadFixture, type StoreFixture } from './store-fixture.ts';

/** A host of this version on a store of an older one, at a time soon after the older one was killed. */
export class UpgradedHost implements AsyncDisposable {
  readonly core: Core;
  /** The address of its API, which changes the store by requests only until the core is started. */
  readonly url: string;
  /** The migrations that were run. */
  readonly migrations: readonly string[];
  readonly folder: string;
  readonly #close: () => Promise<void>;

  private constructor({ core, url, migrations, folder, close }: Opened) {
    this.core = core;
    this.url = url;
    this.migrations = migrations;
    this.folder = folder;
    this.#close = close;
  }

  /**
   * @param after the time since the older version was killed.
   * @param statements run before the store is migrated.
   */
  static async open(
    commit: string,
    kind: keyof typeof databaseKinds,
    fixture: StoreFixture,
    after: Milliseconds,
    statements: readonly string[] = [],
  ): Promise<UpgradedHost> {
    await using closing = new AsyncDisposableStack();
    const ahead = fixture.at + after - Date.now();
    const database = await loadFixture(commit, kind, ahead);
    closing.defer(database.drop);
    for (const statement of statements) await databaseKinds[kind].execute(database.url, statement);
    const folder = temporaryFolder('upgrade');
    closing.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    const environment = {
      HORARIUM_DATABASE_URL: database.url,
      HORARIUM_VAULT_KEY: fixture.vaultKeys.join(),
      HORARIUM_TIMEZONE: 'Europe/Prague',
      HORARIUM_OUTBOUND_NETWORKS: '127.0.0.0/8',
      HORARIUM_LOG_LEVEL: 'silent',
    };
    const machine = { cores: 2, timezone: 'UTC', terminal: false };
    const { config } = await readSettings({ environment, folder, machine });
    const clock = new MovableClock();
    clock.advance(ahead);
    const clockModule = new ContainerModule(({ bind }) => {
      bind(serviceIds.clock).toConstantValue(clock);
    });
    const host = closing.use(await openHost(config, { folder, modules: [clockModule, httpModule()] }));
    const { migrations } = await prepareStore(host);
    const core = await host.get(serviceIds.core);
    const url = `${await (await host.get(serviceIds.server)).listen(0, '127.0.0.1')}/api/v1`;
    const opened = closing.move();
    return new UpgradedHost({ core, url, migrations, folder, close: () => opened.disposeAsync() });
  }

  client(token: string): StoreClient {
    return new StoreClient(this.url, token);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.core.stop(0);
    await this.#close();
  }
}

interface Opened {
  readonly core: Core;
  readonly url: string;
  readonly migrations: readonly string[];
  readonly folder: string;
  readonly close: () => Promise<void>;
}
