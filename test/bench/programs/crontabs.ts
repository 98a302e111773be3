import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { sourceRoot } from '../../house/source-files.ts';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import { SpawnedProgram } from '../../support/program/spawned-program.ts';
import type { Report } from '../results.ts';

export const name = 'crontab:sync of 1,000 lines';
const lines = 1000;
/** What users run. */
const program = join(sourceRoot, 'dist/bundle/main.js');

/** Measures how long the command takes, its start included: for new lines, for none changed, and for each tenth changed. */
export async function run(report: Report): Promise<void> {
  for (const { database, openCli } of cliDatabases) {
    using cli = await openCli();
    await cli.command('company:save --code acme --name Acme');
    const sync = async (crontab: string) => {
      writeFileSync(join(cli.folder, 'tab'), crontab);
      const start = performance.now();
      const sync = new SpawnedProgram(['crontab:sync', 'tab', '--company', 'acme', '--format', 'json'], cli, {
        program,
      });
      const code = await sync.ended;
      if (code !== 0) throw new Error(sync.err);
      return performance.now() - start;
    };
    const crontab = (argumentOf: (line: number) => string) =>
      Array.from(
        { length: lines },
        (_, line) => `${line % 60} ${line % 24} * * * /opt/job-${line} ${argumentOf(line)}\n`,
      ).join('');
    const first = crontab(() => '--all');
    report.figure(`${database}: ${lines} new lines`, await sync(first), 'ms', { max: 2000 });
    report.figure(`${database}: none changed`, await sync(first), 'ms', { max: 2000 });
    const edited = crontab((line) => (line % 10 === 0 ? '--some' : '--all'));
    report.figure(`${database}: ${lines / 10} changed`, await sync(edited), 'ms', { max: 2000 });
    const others = crontab((line) => `--all | other-${line}`)
      .replaceAll('/opt/job', '/opt/new')
      .replace(/^\d+ \d+/gm, '7 7');
    report.figure(`${database}: all replaced`, await sync(others), 'ms');
  }
}
