import type { Core } from '@horarium/core';
import type { Command } from 'commander';
import type { Io } from '../cli/io.ts';
import { readCommandSettings } from '../cli/setting-options.ts';
import { unitUser } from '../commands/install/unit-file.ts';
import type { ReadConfig } from '../config/read-config.ts';
import type { Host } from '../host.ts';
import { openCommandHost } from '../open-host.ts';
import { serviceIds } from '../service-ids.ts';

/** The installation that is examined. Each part of it is opened when a check first asks for it, and nothing is created. */
export class Installation implements AsyncDisposable {
  readonly io: Io;
  readonly #command: Command;
  #settings: Promise<ReadConfig> | undefined;
  #host: Promise<Host> | undefined;

  constructor(command: Command, io: Io) {
    this.#command = command;
    this.io = io;
  }

  /** The settings of the command. @throws HorariumError as `readCommandSettings`. */
  settings(): Promise<ReadConfig> {
    this.#settings ??= readCommandSettings(this.#command, this.io);
    return this.#settings;
  }

  /** The host with its plugins. @throws HorariumError `invalid` for a plugin that cannot be used. */
  host(): Promise<Host> {
    this.#host ??= this.#openHost();
    return this.#host;
  }

  /** The host on a store whose tables need not be up to date. The caller closes it. @throws as `host`. */
  unreadyHost(): Promise<Host> {
    return this.#openHost({ mustBeReady: false });
  }

  /** The core on the store. @throws what opening the store or the vault throws. */
  async core(): Promise<Core> {
    return (await this.host()).get(serviceIds.core);
  }

  /** The user whom systemd starts the service as, if its settings are those of the command; null where it does not. */
  async unitUser(): Promise<string | null> {
    return unitUser(await this.settings());
  }

  async #openHost(may: { readonly mustBeReady?: boolean } = {}): Promise<Host> {
    const read = await this.settings();
    // A store in memory begins empty, so that its key cannot be missing.
    const mayCreateKey = read.config.database_url.database.kind === 'memory';
    return openCommandHost(read, this.io, { mayCreateStore: false, mayCreateKey, ...may });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const host = await this.#host?.catch(() => undefined);
    await host?.[Symbol.asyncDispose]();
  }
}
