import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openDatabase } from './databases.ts';
import type { Report } from './report.ts';
import { median } from './rounds.ts';
import { memoryOf, Service } from './service.ts';

export const name = 'memory';
const rounds = 5;

/** Each is loaded on top of those before it; paths are relative to the compiled files. */
const parts: readonly (readonly [name: string, imports: readonly string[]])[] = [
  ['bare Node', []],
  ['+ core (yup, croner, temporal-polyfill)', ['@horarium/core']],
  ['+ SQLite store (MikroORM, kysely, better-sqlite3)', ['../../adapters/mikro-orm/sqlite-store.js']],
  [
    '+ HTTP (restify)',
    ['../../adapters/http/api.js', '../../adapters/http/api-routes.js', '../../adapters/restify/api-server.js'],
  ],
  ['+ argon2, vault, digests', ['../../adapters/node/password-hasher.js', '../../adapters/node/vault.js']],
  ['+ native executor', ['../../plugins/executor-native/plugin.js']],
  ['+ host (inversify, commander, pino)', ['../../host/serve/serve.js', '../../host/cli/program.js']],
];

/** What the idle service holds, and what each part of it costs. */
export async function run(report: Report): Promise<void> {
  let before = 0;
  const loaded: string[] = [];
  for (const [part, imports] of parts) {
    loaded.push(...imports);
    const seen: number[] = [];
    for (let round = 0; round < rounds; round++) seen.push(await loadedSize(loaded));
    report.figure(`${part}, loaded`, median(seen), 'MB');
    if (before > 0) report.figure(`   which is more by`, median(seen) - before, 'MB');
    before = median(seen);
  }
  await using database = await openDatabase('SQLite FULL');
  const idle: number[] = [];
  const used: number[] = [];
  const launcher: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using service = await Service.start(database);
    await service.ask('GET', '/ping.json');
    await settled();
    idle.push(service.memory);
    await service.signIn();
    await runOneJob(service, round);
    await settled();
    used.push(service.memory);
    launcher.push(memoryOf(childOf(service.pid)));
  }
  report.figure('the whole service, idle', median(idle), 'MB', { most: 120 });
  report.figure('the whole service, idle again after a login and a native job', median(used), 'MB', { most: 120 });
  report.figure('its launcher of native jobs, started by the first of them', median(launcher), 'MB');
}

/** The memory of a process that has loaded these modules and then waits. */
function loadedSize(imports: readonly string[]): Promise<number> {
  const urls = imports.map((each) =>
    each.startsWith('.') ? new URL(each, import.meta.url).href : import.meta.resolve(each),
  );
  const code = `for (const url of ${JSON.stringify(urls)}) await import(url);
    setTimeout(() => { console.log(process.memoryUsage.rss()); process.exit(); }, 1000);`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.on('data', (said) => resolve(Number(said) / 1_000_000));
    child.on('exit', (code) => code !== 0 && reject(new Error('A part could not be loaded.')));
  });
}

/** Long enough for what the start left behind to be collected. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5000));
}

async function runOneJob(service: Service, round: number): Promise<void> {
  const code = `memory-${round}`;
  const app = await service.ask('POST', '/app/', { code, name: code, executable: 'true' });
  const company = await service.ask('POST', '/company/', { code, name: code });
  const template = { name: code, app_id: app['id'], company_id: company['id'], interval: 'none' };
  const { id } = await service.ask('POST', '/runtemplate/', template);
  const job = await service.ask('POST', '/job/', { runtemplate_id: id });
  while ((await service.ask('GET', `/job/${job['id']}.json`))['finished_at'] === null)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}
