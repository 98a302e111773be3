import { describeClockChange } from '@horarium/core';
import type { Command } from 'commander';
import { addStoreCommand, type Cli } from '../cli/command-session.ts';
import { commandGroups } from '../cli/help/command-groups.ts';
import type { Io } from '../cli/io.ts';
import { addFormatOption, print } from '../cli/output.ts';
import { addSettingOptions, everySetting, readCommandSettings } from '../cli/setting-options.ts';
import { lookOf } from '../cli/shown/look.ts';
import { sentenceWithLocalTimes } from '../cli/shown/times.ts';
import type { Host } from '../host.ts';

/** Adds `serve`, `migrate`, `status`, `clock:confirm` and `config`. */
export function addServiceCommands(program: Command, cli: Cli): void {
  addServe(program, cli.io);
  addMigrate(program, cli.io);
  addStatus(program, cli);
  addConfirmClock(program, cli);
  addConfig(program, cli.io);
}

function addServe(program: Command, io: Io): void {
  const command = program
    .command('serve')
    .description('Start the service: schedule, run jobs, answer over HTTP.')
    .option('--demo', 'fill an empty store with a small company whose jobs run every few seconds', false);
  addSettingOptions(command, everySetting).action(async () => {
    const read = await readServiceSettings(command, io);
    const { serve } = await import('../serve/serve.ts');
    await serve(read, io, command.opts<{ demo: boolean }>());
  });
}

/** Reads settings like `readCommandSettings`, and warns of open files of secrets, which other commands do not repeat. */
async function readServiceSettings(command: Command, io: Io) {
  const read = await readCommandSettings(command, io);
  for (const warning of read.fileWarnings) await io.err(`${warning}\n`);
  return read;
}

/** Adds `migrate`, which prepares the store as the first start of the service does, without starting it. */
function addMigrate(program: Command, io: Io): void {
  const command = program
    .command('migrate')
    .helpGroup(commandGroups.upkeep)
    .description('Create the store, or bring its tables up to date.')
    .option('--dry-run', 'change nothing, and list the migrations that would be run', false);
  addSettingOptions(command, ['database_url']).action(async () => {
    const read = await readCommandSettings(command, io);
    const [{ openCommandHost }, { firstUserMessage, prepareStore }] = await Promise.all([
      import('../open-host.ts'),
      import('../store/prepare-store.ts'),
    ]);
    const { dryRun } = command.opts<{ dryRun: boolean }>();
    await using host = await openCommandHost(read, io, {
      mayCreateStore: !dryRun,
      mustBeReady: false,
      mayCreateKey: !dryRun,
    });
    if (dryRun) {
      await listPending(host, io);
      return;
    }
    const { migrations, firstUser } = await prepareStore(host, {
      migrating: (_pending, advice) => advice !== null && void io.err(`${advice}\n`),
      progress: (progress) => void io.err(`${progress}\n`),
    });
    await io.out(
      migrations.length === 0
        ? 'The tables are up to date.\n'
        : `These migrations were run: ${migrations.join(', ')}.\n`,
    );
    if (firstUser) await io.out(`${firstUserMessage(firstUser)}\n`);
  });
}

/** Lists the migrations that the store needs, with what to know before they are run. */
async function listPending(host: Host, io: Io): Promise<void> {
  const [{ serviceIds }, { checkKeysBeforeMigration, migrationAdvice }] = await Promise.all([
    import('../service-ids.ts'),
    import('../store/prepare-store.ts'),
  ]);
  const { schema } = await host.get(serviceIds.store);
  const pending = (await schema?.pending()) ?? [];
  if (!schema || pending.length === 0) {
    await io.out('The tables are up to date.\n');
    return;
  }
  await checkKeysBeforeMigration(host);
  const advice = await migrationAdvice(schema, pending);
  if (advice !== null) await io.err(`${advice}\n`);
  await io.out(`${pending.join('\n')}\n`);
}

function addStatus(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'status').description(
    'Show how the service is: workers, agents, queue, counts.',
  );
  command.action(async () => {
    await using session = await cli.open(command);
    const { uptime: _ownUptime, ...status } = await session.core.status(session.actor);
    await print(cli.io, command, status, { onlySet: true });
  });
}

function addConfirmClock(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'clock:confirm')
    .helpGroup(commandGroups.upkeep)
    .description('Confirm that the clock of the store is right although it jumped ahead.')
    .addHelpText(
      'after',
      '\nWhat was owed in the time that it skipped is then decided as after downtime (horarium help clocks).',
    );
  command.action(async () => {
    await using session = await cli.open(command);
    const change = await session.core.clockConfirmation.confirm(session.actor);
    const { timezone } = await lookOf(command, cli.io);
    await cli.io.out(`${sentenceWithLocalTimes(describeClockChange(change), timezone)}\n`);
  });
}

/** Adds `config`, which works without a store, so that invalid settings can be found before there is one. */
function addConfig(program: Command, io: Io): void {
  const command = addFormatOption(program.command('config'))
    .helpGroup(commandGroups.reference)
    .description('Show the effective settings and who set them.');
  addSettingOptions(command, everySetting).action(async () => {
    const read = await readServiceSettings(command, io);
    const { settingRows } = await import('../plugins/setting-rows.ts');
    await print(io, command, await settingRows(read), { columns: ['setting', 'value', 'from', 'variable'] });
  });
}
