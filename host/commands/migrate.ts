import type { Command } from 'commander';
import type { Io } from '../cli/io.ts';
import { addSettings, settingsOf } from '../cli/settings-options.ts';

/** `migrate`: what the first start of the service does, without starting it. */
export function addMigrateCommand(program: Command, io: Io): void {
  const command = program.command('migrate').description('Make the store, or bring its tables up to date.');
  addSettings(command, ['database_url']).action(async () => {
    const { config } = await settingsOf(command, io);
    const [{ openHost }, { noEvents }, { introduce, prepareStore }] = await Promise.all([
      import('../open-host.ts'),
      import('../modules/core-module.ts'),
      import('../store/prepare-store.ts'),
    ]);
    const address = () => '';
    await using host = await openHost(config, {
      serving: false,
      makesStore: true,
      folder: io.folder,
      capacity: 0,
      address,
      events: noEvents,
    });
    const { migrations, firstUser } = await prepareStore(host);
    await io.out(
      migrations.length === 0
        ? 'The tables are up to date.\n'
        : `These migrations were run: ${migrations.join(', ')}.\n`,
    );
    if (firstUser) await io.out(`${introduce(firstUser)}\n`);
  });
}
