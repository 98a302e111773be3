import { rmSync } from 'node:fs';
import type { Core, Instant } from '@horarium/core';
import {
  ContainerModule,
  type Host,
  httpModule,
  listen,
  openHost,
  prepareStore,
  readSettings,
  serviceIds,
} from 'horarium/host';
import { MovableClock } from '../support/clocks/movable-clock.ts';
import { temporaryFolder } from '../support/mocha/temporary-folder.ts';

/** The password of its users. */
export const password = 'correct horse battery';

/** The service on a store of its own, whose clock stands still: what it shows is the same each time it is read. */
export class StoppedService implements AsyncDisposable {
  readonly url: string;
  readonly core: Core;
  readonly host: Host;
  readonly #clock: MovableClock;
  readonly #folder: string;

  private constructor(opened: { url: string; core: Core; host: Host; clock: MovableClock; folder: string }) {
    this.url = opened.url;
    this.core = opened.core;
    this.host = opened.host;
    this.#clock = opened.clock;
    this.#folder = opened.folder;
  }

  /** Opens it at that time, with the first user admin; it does not schedule before its core is started. */
  static async open(time: Instant): Promise<StoppedService> {
    await using opening = new AsyncDisposableStack();
    const folder = temporaryFolder('screenshots');
    opening.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    const environment = {
      HORARIUM_ADMIN_PASSWORD: password,
      HORARIUM_LOG_LEVEL: 'warn',
      HORARIUM_MAX_REQUESTS_PER_SECOND: '0',
      HORARIUM_PORT: '0',
      // Root is meant where root takes the pictures: this process runs no jobs.
      ...(process.getuid?.() === 0 && { HORARIUM_RUN_AS: 'root' }),
      HORARIUM_TIMEZONE: 'Europe/Prague',
      // The hosts of the pictures run jobs; this process runs none.
      HORARIUM_WORKERS: '0',
    };
    const { config } = await readSettings({
      environment,
      folder,
      machine: { cores: 2, timezone: 'UTC', terminal: false },
    });
    const clock = new MovableClock();
    clock.stop();
    clock.advance(time - clock.now());
    const clockModule = new ContainerModule(({ bind }) => {
      bind(serviceIds.clock).toConstantValue(clock);
    });
    const host = opening.use(await openHost(config, { folder, modules: [clockModule, httpModule()] }));
    await prepareStore(host);
    const core = await host.get(serviceIds.core);
    const url = await listen(host);
    opening.move();
    return new StoppedService({ url, core, host, clock, folder });
  }

  /** Moves its clock to a time. */
  moveTo(time: Instant): void {
    this.#clock.advance(time - this.#clock.now());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.core.stop(0);
      await this.host[Symbol.asyncDispose]();
    } finally {
      rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
    }
  }
}
