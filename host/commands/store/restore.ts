import { BackupReader, HorariumError, tablesOf, trustedActor } from '@horarium/core';
import type { Command } from 'commander';
import type { OpenedStore } from '../../../adapters/mikro-orm/database.ts';
import type { Cli } from '../../cli/command-session.ts';
import { addFormatOption, print } from '../../cli/output.ts';
import { ProgressLine } from '../../cli/progress-line.ts';
import { addSettingOptions, readCommandSettings } from '../../cli/setting-options.ts';
import { addTimeOption } from '../../cli/shown/look.ts';
import { describeProgress } from './backup.ts';
import { BackupLines } from './backup-files.ts';

/** Adds `restore`, which fills a new database from a backup. */
export function addRestoreCommand(program: Command, cli: Cli): void {
  const command = addTimeOption(addFormatOption(program.command('restore')))
    .description('Restore a backup into a new database. Everything is paused there.')
    .argument('<file>', 'the backup; - is standard input')
    .option('--unverified', 'restore it also if its audit log does not verify', false)
    .addHelpText(
      'after',
      `
All of it is restored, or nothing: a restore that is killed can be run again. The vault key must be the one of the service that
was backed up. Jobs start only after "horarium resume --all", so that nothing runs twice while the original still runs. The
next steps stand in the handbook: horarium help backups.

Examples:
  horarium restore /backup/horarium-2026-11-28.jsonl
  zstd -dc /backup/horarium.jsonl.zst | horarium restore - --database-url postgres://owner@db.example.com/horarium
  horarium restore /backup/horarium-2026-11-28.jsonl --database-url memory:     # only checks it`,
    );
  addSettingOptions(command, ['database_url']).action(async (name: string) => {
    const { io } = cli;
    const { unverified } = command.opts<{ unverified: boolean }>();
    const read = await readCommandSettings(command, io);
    using lines = new BackupLines(io, name);
    const backup = await BackupReader.open(lines.read());
    const [{ openCommandHost }, { serviceIds }] = await Promise.all([
      import('../../open-host.ts'),
      import('../../service-ids.ts'),
    ]);
    await using host = await openCommandHost(read, io, { mayCreateStore: true, mayCreateKey: false });
    backup.assertTables(tablesOf((await host.get(serviceIds.model)).resources));
    const store = await host.get(serviceIds.store);
    backup.assertKeys(await host.get(serviceIds.vault));
    await createTables(store);
    const core = await host.get(serviceIds.core);
    await using progress = new ProgressLine(io);
    const restored = await core.backups.restore(trustedActor(io.operator, 'cli'), backup, {
      unverified,
      onProgress: (at) => progress.show(describeProgress(at)),
    });
    await progress.end();
    await store.checkpoint?.();
    const { rows, pauseId, unsentDeliveries, verification, archivedUpTo } = restored;
    await print(io, command, {
      rows,
      made_at: backup.header.created_at,
      made_by: `Horarium ${backup.header.version} on ${backup.header.store}`,
      audit_log: verification === null ? 'not verified' : 'verified',
      entries: verification?.checked ?? null,
      pause: pauseId,
      unsent_deliveries: unsentDeliveries,
    });
    if (archivedUpTo > 0)
      await io.err(
        `The entries of the audit log up to ${archivedUpTo} are in files: put them back into ${read.config.audit_archive}, and run "horarium audit:verify".\n`,
      );
    await io.err(
      store.kind === 'memory'
        ? 'The backup is whole. Nothing of it was kept.\n'
        : 'Everything is paused. Once the original is stopped: horarium resume --all\n',
    );
  });
}

/** Creates the tables of a new database. @throws HorariumError `conflict` for one that another version has made. */
async function createTables({ schema }: OpenedStore): Promise<void> {
  if (!schema || (await schema.pending()).length === 0) return;
  if ((await schema.isNew?.()) === false)
    throw new HorariumError('conflict', 'The database is not empty: another version of Horarium has made it.');
  await schema.migrate();
}
