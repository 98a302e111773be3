import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { installedPackages } from '../../support/packages/installed-packages.ts';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import { interleaved } from '../harness/rounds.ts';
import type { Report } from '../results.ts';

export const name = 'commands, installed from the packed packages';
const rounds = 9;

/** Measures how long commands take from the start of the process to its end, without a store and with one. */
export async function run(report: Report): Promise<void> {
  const { both } = await installedPackages();
  const program = join(both, 'node_modules/horarium/dist/host/horarium.js');
  const timed = async (line: readonly string[], folder: string, settings: Readonly<Record<string, string>> = {}) => {
    const { PATH = '' } = process.env;
    const start = performance.now();
    const env = { PATH, HORARIUM_CONFIG: '', ...settings };
    const child = spawn(process.execPath, line, { cwd: folder, env, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${line.join(' ')} ended with ${code}.`);
    return performance.now() - start;
  };
  const withoutStore = await interleaved(rounds, {
    node: () => timed(['-e', '0'], both),
    help: () => timed([program, '--help'], both),
    ofCommand: () => timed([program, 'runtemplate:save', '--help'], both),
    commands: () => timed([program, 'complete', '--', 'horarium task:'], both),
    options: () => timed([program, 'complete', '--', 'horarium runtemplate:save --'], both),
  });
  report.figure('baseline: Node that starts and ends', withoutStore.node, 'ms');
  report.figure('--help', withoutStore.help, 'ms', { max: 400 });
  report.figure('runtemplate:save --help', withoutStore.ofCommand, 'ms', { max: 400 });
  report.figure('completion of a command', withoutStore.commands, 'ms', { max: 400 });
  report.figure('completion of an option', withoutStore.options, 'ms', { max: 400 });
  for (const { database, openCli } of cliDatabases) {
    using cli = await openCli();
    await cli.command('company:save --code acme --name Acme');
    const onStore = (...line: readonly string[]) => timed([program, ...line], cli.folder, cli.environment);
    const withStore = await interleaved(rounds, {
      list: () => onStore('company:list'),
      status: () => onStore('status'),
      save: () => onStore('company:save', '--id', '1', '--name', 'Acme Ltd'),
    });
    report.figure(`${database}: company:list`, withStore.list, 'ms', { max: 900 });
    report.figure(`${database}: status`, withStore.status, 'ms', { max: 900 });
    report.figure(`${database}: company:save`, withStore.save, 'ms', { max: 900 });
  }
}
