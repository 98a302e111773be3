import { hostname } from 'node:os';
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
import { clock, digests, noPasswords, vaultOf } from './node-ports.ts';

/** A shop that owes itself a look at its stock every second, and can tell whether it took each of them in time. */
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
      passwords: noPasswords,
      vault: vaultOf(vaultKey),
      timezone: 'Europe/Prague',
      executors: new Map([[this.#executor.name, this.#executor]]),
      actions: new Map(),
      eventSourceKinds: new Map(),
      checkPattern: (pattern) => void new RegExp(pattern),
      worker: { host: hostname(), pid: process.pid, capacity: 4 },
      pingUrl: (job) => `shop:/jobs/${job}`,
      loginTtl: 0,
      events: {
        tickFailed: (tick, error, retryIn) => console.error(`${tick} failed, again in ${retryIn} ms:`, error),
        templateFailed: (id, error) => console.error(`Run template ${id}:`, error),
        leaseLost: (jobs) => console.error(`These jobs were given up: ${jobs.join(', ')}`),
        workerLost: (worker) => console.error(`${worker} died.`),
      },
    });
  }

  async open(): Promise<void> {
    const save = this.#core.records.bind(this.#core);
    const app = await save(App).save(this.#shop, { name: 'Check the stock', executable: 'checkStock' });
    const company = await save(Company).save(this.#shop, { code: 'shop', name: 'The shop' });
    await save(RunTemplate).save(this.#shop, {
      code: 'stock',
      name: 'Check the stock every second',
      app_id: app.row.id,
      company_id: company.row.id,
      interval: 'custom',
      cron: '* * * * * *',
      executor: this.#executor.name,
      allow_late: true,
    });
    await this.#core.start();
  }

  /** What was owed so far, and what became of it, oldest first. */
  async ledger(): Promise<readonly TaskRow[]> {
    return (await this.#core.records(Task).list(this.#shop, { order: 'id' })).rows;
  }

  /** Whether the log of all that was done is as it was written. */
  async isTrue(): Promise<boolean> {
    return (await this.#core.verifyAudit()).problem === null;
  }

  /** Lets what runs finish. */
  async close(): Promise<void> {
    await this.#core.stop(5000);
    await this.#executor.close();
  }
}
