import type { RotationProgress } from '@horarium/core';
import type { Command } from 'commander';
import { addStoreCommand, type Cli } from '../../cli/command-session.ts';
import type { Io } from '../../cli/io.ts';
import { print } from '../../cli/output.ts';

const help = `
To replace the vault key while the service runs:
  1. Make a new key:  openssl rand -base64 32
  2. Put it before the old key, in HORARIUM_VAULT_KEY (separated by a comma) or in var/vault.key (one key a line),
     and restart the service.
     With several hosts, first put it after the old key on every host and restart them all, so that each can decrypt
     what another encrypts with it; then put it before the old key on every host, and restart them again.
  3. Run this command in the same folder and with the same settings. It may be killed and run again.
  4. Remove the old key and restart the service. If a record still needs it, the start fails and says how many do.
     Keep the old key for as long as you keep backups that were made before.
`;

/** Adds `vault:rotate`, which encrypts every secret again that an older vault key encrypted, with the newest one. */
export function addRotateCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'vault:rotate')
    .description('Encrypt every secret again with the newest vault key, while the service runs.')
    .addHelpText('after', help);
  command.action(async () => {
    await using session = await cli.open(command);
    const progress = new ProgressLine(cli.io);
    const total = await session.core.rotateVault(session.actor, (step) => progress.show(step));
    await progress.end();
    await print(cli.io, command, { ...total });
  });
}

/**
 * Shows the progress of a rotation: at a terminal in one line that is overwritten, elsewhere in one line for each
 * resource that is done.
 */
class ProgressLine {
  readonly #io: Io;
  #last: RotationProgress | null = null;

  constructor(io: Io) {
    this.#io = io;
  }

  show(progress: RotationProgress): void {
    const last = this.#last;
    this.#last = progress;
    if (this.#io.machine.terminal) void this.#io.err(`\r\u001b[K${describe(progress)}`);
    else if (last && last.resource !== progress.resource) void this.#io.err(`${describe(last)}\n`);
  }

  async end(): Promise<void> {
    if (this.#io.machine.terminal) await this.#io.err('\r\u001b[K');
    else if (this.#last) await this.#io.err(`${describe(this.#last)}\n`);
  }
}

function describe({ resource, checked, reencrypted }: RotationProgress): string {
  return `${resource}: ${checked} checked, ${reencrypted} encrypted again`;
}
