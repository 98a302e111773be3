import {
  App,
  allTables,
  Company,
  Core,
  MemoryStore,
  RunTemplate,
  Task,
  type TaskRow,
  trustedActor,
} from '@horarium/core';
import { FunctionExecutor, type JobFunction } from './function-executor.ts';
import { clock, digests, noPasswords, vaultOf } from './node-adapters.ts';

/** A program that embeds the core: it checks its stock every second, and knows of each check whether it was on time. */
export class Shop {
  readonly #store = new MemoryStore({ clock, tables: allTables });
  readonly #executor: FunctionExecutor;
  readonly #core: Core;
  readonly #shop = trustedActor('the shop', 'embedded');

  /** @param vaultKey 32 bytes. */
  constructor(checkStock: JobFunction, vaultKey: Uint8Array) {
    this.#executor = new FunctionExecutor({ checkStock });
    this.#core = new Core({
      version: '1.0.0',
      store: this.#store,
      clock,
      digests,
      passwordHasher: noPasswords,
      vault: vaultOf(vaultKey),
      timezone: 'Europe/Prague',
      executors: [this.#executor],
      actions: new Map(),
      eventSourceKinds: new Map(),
      checkPattern: (pattern) => void new RegExp(pattern),
      pingUrl: (job) => `shop:/jobs/${job}`,
      loginTtl: 0,
      events: {
        tickFailed: (tick, error, retryIn) => console.error(`${tick} failed, again in ${retryIn} ms:`, error),
        templateFailed: (id, error) => console.error(`Run template ${id}:`, error),
        leaseLost: (jobs) => {
          if (jobs.length > 0) console.error(`The lease was lost; these jobs were abandoned: ${jobs.join(', ')}`);
        },
        workerLost: (worker) => console.error(`The lease of ${worker} expired.`),
      },
    });
  }

  async open(): Promise<void> {
    const core = this.#core;
    const app = await core.records(App).save(this.#shop, { name: 'Check the stock', executable: 'checkStock' });
    const company = await core.records(Company).save(this.#shop, { code: 'shop', name: 'The shop' });
    await core.records(RunTemplate).save(this.#shop, {
      code: 'stock',
      name: 'Check the stock every second',
      app_id: app.id,
      company_id: company.id,
      interval: 'custom',
      cron: '* * * * * *',
      executor: this.#executor.name,
      allow_late: true,
    });
    await core.start();
  }

  /** The Tasks of all windows so far, with their outcomes, oldest first. */
  async tasks(): Promise<readonly TaskRow[]> {
    return (await this.#core.records(Task).list(this.#shop, { order: 'id' })).rows;
  }

  /** Whether the audit chain is whole. */
  async isAuditIntact(): Promise<boolean> {
    return (await this.#core.verifyAudit()).problem === null;
  }

  /** Gives the running job 5 s to finish, then stops everything. */
  async close(): Promise<void> {
    await this.#core.stop(5000);
    await this.#executor.close();
  }
}
