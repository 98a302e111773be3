import type { RotationProgress } from '@horarium/core';
import type { Command } from 'commander';
import { addStoreCommand, type Cli } from '../../cli/command-session.ts';
import type { Io } from '../../cli/io.ts';
import { print } from '../../cli/output.ts';
import { grouped, ProgressLine, percent } from '../../cli/progress-line.ts';

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
    .description('Encrypt every secret again with the newest vault key. The service may run.')
    .addHelpText('after', help);
  command.action(async () => {
    await using session = await cli.open(command);
    await using progress = new ProgressLine(cli.io);
    const lines = new RotationLines(cli.io);
    const total = await session.core.rotateVault(session.actor, (step) => {
      progress.show(`${describe(step, grouped)}, ${percent(step.share)}`);
      lines.show(step);
    });
    await progress.end();
    await lines.end();
    await print(cli.io, command, { ...total });
  });
}

/** Writes one line for each resource that is done, where no terminal shows how far the rotation is. */
class RotationLines {
  readonly #io: Io;
  #last: RotationProgress | null = null;

  constructor(io: Io) {
    this.#io = io;
  }

  show(progress: RotationProgress): void {
    if (this.#last && this.#last.resource !== progress.resource) void this.end();
    this.#last = progress;
  }

  async end(): Promise<void> {
    if (this.#last && !this.#io.machine.terminal) await this.#io.err(`${describe(this.#last)}\n`);
  }
}

function describe(
  { resource, checked, reencrypted }: RotationProgress,
  written: (number: number) => string = String,
): string {
  return `${resource}: ${written(checked)} checked, ${written(reencrypted)} encrypted again`;
}
