import { type BackupProgress, HorariumError } from '@horarium/core';
import type { Command } from 'commander';
import { addStoreCommand, type Cli, type CommandSession } from '../../cli/command-session.ts';
import { print } from '../../cli/output.ts';
import { grouped, ProgressLine, percent } from '../../cli/progress-line.ts';
import { lookOf } from '../../cli/shown/look.ts';
import { withLocalTimes } from '../../cli/shown/times.ts';
import { writeBackupFile } from './backup-files.ts';

/** Adds `backup`, which copies the store of a running service. */
export function addBackupCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'backup')
    .description('Copy the whole store to a file, while the service runs.')
    .argument('<file>', 'the file; - is standard output')
    .addHelpText(
      'after',
      `
The file holds every row as one moment has them, in JSON Lines, and can be restored to SQLite and PostgreSQL alike. Only its owner
can read it. An older backup of that name is replaced once the new one is whole. Secrets in it are encrypted: keep the vault
key too, but elsewhere. Run it with the settings and as the user of the service.

Examples:
  horarium backup /backup/horarium-$(date +%F).jsonl
  horarium backup - | zstd > /backup/horarium.jsonl.zst`,
    );
  command.action(async (name: string) => {
    await using session = await cli.open(command);
    await assertPlugins(session);
    await using progress = new ProgressLine(cli.io);
    const { core, actor } = session;
    const written = await writeBackupFile({ io: cli.io, name }, (to) =>
      core.backups.write(actor, to, (at) => progress.show(describeProgress(at))),
    );
    await progress.end();
    const { rows, created_at, vault, audit_head, archivedUpTo } = written;
    if (name === '-')
      await cli.io.err(
        `${rows} rows, as of ${withLocalTimes(created_at, (await lookOf(command, cli.io)).timezone)}. The head of the audit log is ${audit_head}.\n`,
      );
    else await print(cli.io, command, { file: name, rows, created_at, audit_head, vault_key: vault });
    if (archivedUpTo > 0)
      await cli.io.err(
        `The entries of the audit log up to ${archivedUpTo} are not in it: they have left the database for the folder ${session.config.audit_archive}. Copy that too.\n`,
      );
  });
}

/** @throws HorariumError `conflict` where the store has tables of a plugin that this command does not know. */
async function assertPlugins({ schema }: CommandSession): Promise<void> {
  const unloaded = (await schema?.unloadedPlugins?.()) ?? [];
  if (unloaded.length === 0) return;
  throw new HorariumError(
    'conflict',
    `The store has tables of the plugin ${unloaded.join(' and ')}, which is not loaded: run the command with the settings of the service.`,
  );
}

export function describeProgress({ table, rows, share }: BackupProgress): string {
  return `${grouped(rows)} rows, ${percent(share)}: ${table}`;
}
