import { type Head, HorariumError, maxKeepDays } from '@horarium/core';
import { type Command, InvalidArgumentError } from 'commander';
import { addStoreCommand, type Cli } from '../cli/command-session.ts';
import { print } from '../cli/output.ts';
import { grouped, ProgressLine } from '../cli/progress-line.ts';

/** Adds the commands about the audit log as a whole. */
export function addAuditCommands(program: Command, cli: Cli): void {
  addVerifyCommand(program, cli);
  addArchiveCommand(program, cli);
}

/** Adds `audit:verify`, which fails when an entry was changed, removed, inserted or made unreadable. */
function addVerifyCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'audit:verify', ['audit_archive'])
    .description('Verify the audit log, and name the first entry that was changed or removed.')
    .option(
      '--head <seq:hash>',
      'a head that you noted earlier; the command then proves that no entry up to it was cut off',
      readHead,
    )
    .option('--without-archive', 'verify the database only: entries that have left it are not read', false);
  command.action(async () => {
    await using session = await cli.open(command);
    const { head: noted, withoutArchive } = command.opts<{ head?: Head; withoutArchive: boolean }>();
    await using progress = new ProgressLine(cli.io);
    const { checked, archived, open, head, problem, warning } = await session.core.verifyAudit({
      noted,
      ...(withoutArchive && { archive: null }),
      onProgress: (count, total) => progress.count(count, total, 'entries'),
    });
    await progress.end();
    await print(cli.io, command, {
      intact: problem === null,
      checked,
      archived,
      unsealed: open,
      head: `${head.seq}:${head.hash}`,
      problem,
    });
    if (warning !== null) await cli.io.err(`${warning}\n`);
    if (problem !== null) throw new HorariumError('conflict', problem);
  });
}

function readHead(text: string): Head {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined)
    throw new InvalidArgumentError('It must look like SEQ:HASH, as /status and this command show it.');
  return { seq: Number(seq), hash };
}

/** Adds `audit:archive`, which moves old entries to files without waiting for the running service to do so. */
function addArchiveCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'audit:archive', ['retention_audit_days', 'audit_archive'])
    .description('Move old entries of the audit log from the database to files, at once.')
    .option('--dry-run', 'move nothing, and count what would be moved', false)
    .addHelpText(
      'after',
      '\nA running service does so once a day, if HORARIUM_RETENTION_AUDIT_DAYS is set (horarium help audit-log). Each file is written, read again and verified before its entries leave the database. Run the command with the settings and as the user of the service. It may be stopped, and run again.',
    );
  command.action(async () => {
    const { dryRun } = command.opts<{ dryRun: boolean }>();
    await using session = await cli.open(command);
    const { retention_audit_days: days, audit_archive: folder } = session.config;
    if (days >= maxKeepDays)
      throw new HorariumError(
        'invalid',
        'The audit log is kept for ever: say by --retention-audit-days after how many days its entries leave the database.',
      );
    await using progress = new ProgressLine(cli.io);
    const { count: entries, isTaken } = await session.core.auditArchiving.archive(session.actor, {
      dryRun,
      onProgress: (count) => progress.show(`${grouped(count)} entries moved`),
    });
    await progress.end();
    await print(cli.io, command, { entries, folder });
    if (dryRun) await cli.io.err('Nothing was moved: this was a dry run.\n');
    if (isTaken) await cli.io.err('Another process moves entries, too: it goes on.\n');
  });
}
