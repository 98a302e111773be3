import type { Actor, Core } from '@horarium/core';
import type { Command } from 'commander';
import type { Config } from '../config/settings.ts';
import type { Io } from './io.ts';

/** An open store with the core on top of it, and who uses it. */
export interface Session extends AsyncDisposable {
  readonly config: Config;
  readonly core: Core;
  readonly actor: Actor;
}

/** What the commands are given. */
export interface Cli {
  readonly io: Io;
  /** Opens the store that the command's settings name, as the local operator or as `--as` says. */
  open(command: Command): Promise<Session>;
}
