import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../harness/databases.ts';
import { median } from '../harness/rounds.ts';
import { memoryOf, Service } from '../harness/service.ts';
import { createShellTemplate } from '../harness/shell-template.ts';
import type { Report } from '../results.ts';

export const name = 'memory of the idle service';
const rounds = 5;

/** Each part is loaded on top of those before it; paths are relative to the compiled file. */
const parts: readonly (readonly [name: string, imports: readonly string[]])[] = [
  ['bare Node', []],
  ['+ core (yup, croner, temporal-polyfill)', ['@horarium/core']],
  ['+ SQLite store (MikroORM, kysely, better-sqlite3)', ['../../../adapters/mikro-orm/dialects/sqlite/store.js']],
  [
    '+ HTTP (restify)',
    [
      '../../../adapters/http/api.js',
      '../../../adapters/http/routes/api-routes.js',
      '../../../adapters/restify/api-server.js',
    ],
  ],
  ['+ argon2, vault, digests', ['../../../adapters/node/password-hasher.js', '@horarium/core/node']],
  ['+ native executor', ['../../../plugins/executor-native/plugin.js']],
  ['+ host (inversify, commander, pino)', ['../../../host/serve/serve.js', '../../../host/cli/program.js']],
];

/** Measures the memory of the idle service, and what each part of it adds. */
export async function run(report: Report): Promise<void> {
  let previous = 0;
  const loaded: string[] = [];
  for (const [part, imports] of parts) {
    loaded.push(...imports);
    const sizes: number[] = [];
    for (let round = 0; round < rounds; round++) sizes.push(await memoryWith(loaded));
    report.figure(`${part}, loaded`, median(sizes), 'MB');
    if (previous > 0) report.figure('   added', median(sizes) - previous, 'MB');
    previous = median(sizes);
  }
  await using database = await openDatabase('SQLite FULL');
  const idle: number[] = [];
  const afterJob: number[] = [];
  const launcher: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using service = await Service.start(database);
    await service.request('GET', '/ping.json');
    await waitForCollection();
    idle.push(service.memory);
    await service.signIn();
    await runOneJob(service, round);
    await waitForCollection();
    afterJob.push(service.memory);
    launcher.push(memoryOf(childOf(service.pid)));
  }
  report.figure('the whole service, idle', median(idle), 'MB', { max: 120 });
  report.figure('the whole service, idle again after a login and a native job', median(afterJob), 'MB', { max: 120 });
  report.figure('its launcher of native jobs, started by the first of them', median(launcher), 'MB');
}

/** The resident memory of a process a second after it has loaded these modules. */
function memoryWith(imports: readonly string[]): Promise<number> {
  const urls = imports.map((path) =>
    path.startsWith('.') ? new URL(path, import.meta.url).href : import.meta.resolve(path),
  );
  const code = `for (const url of ${JSON.stringify(urls)}) await import(url);
    setTimeout(() => { console.log(process.memoryUsage.rss()); process.exit(); }, 1000);`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.on('data', (output) => resolve(Number(output) / 1_000_000));
    child.on('exit', (code) => code !== 0 && reject(new Error('A part could not be loaded.')));
  });
}

/** Waits until V8 has collected the garbage of the start. */
function waitForCollection(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5000));
}

async function runOneJob(service: Service, round: number): Promise<void> {
  const runtemplate_id = await createShellTemplate(service, `memory-${round}`);
  const job = await service.request('POST', '/job/', { runtemplate_id });
  while ((await service.request('GET', `/job/${job['id']}.json`))['finished_at'] === null)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}
