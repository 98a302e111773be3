import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { helpedCommands } from '../support/docs/help-program.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { encodingsOf, findPlantedSecrets } from '../support/planted/find-planted-secrets.ts';
import { digestLines, marker, plantSecrets, secretFor } from '../support/planted/planted-secrets.ts';
import { PlantedService, plantedVaultKey, suffixes } from '../support/planted/planted-service.ts';
import { refusedRequests } from '../support/planted/refused-requests.ts';
import { descendantProcesses } from '../support/program/processes.ts';
import { administer, createDatabase, dropDatabase } from '../support/store/test-postgres.ts';

const mask = '••••••••';
const pluginTemplate = { name: 'Plugged', app_id: 1, company_id: 1, interval: 'none', executor: 'planted' };

/**
 * Writes each of two secrets in two chunks, one that is an argument, and some in base64 and hex; then creates `waiting`
 * and waits for `go`.
 */
const leakingScript = (folder: string) => `
say() { printf %s "$1" | head -c 14; sleep 0.3; printf %s "$1" | tail -c +15; echo; }
say "$UNTYPED_CREDENTIAL"; say "$COMPANY_SECRET" >&2; echo "argument $1"
printf %s "$COMPANY_SECRET" | base64 -w 0; echo; printf 'user:%s' "$TYPED_CREDENTIAL" | base64 -w 0; echo
printf %s "$JOB_OVERRIDE" | od -An -v -tx1 | tr -d ' \\n'; echo
touch '${folder}/waiting'; while [ ! -e '${folder}/go' ]; do sleep 0.05; done`;

describe('secrets planted in every field that takes one', () => {
  it('reach the jobs and are found nowhere else on SQLite', () => checkExposures());

  it('reach the jobs and are found nowhere else on PostgreSQL', async () => {
    const database = await createDatabase();
    const role = `planted_${process.pid}`;
    const password = `${marker}DATABASE`;
    await administer(database, `create role ${role} login superuser password '${password}'`);
    const url = new URL(database);
    [url.username, url.password] = [role, password];
    try {
      await checkExposures(url.href);
    } finally {
      const admin = new URL(database);
      admin.pathname = '/postgres';
      await dropDatabase(database);
      await administer(admin.href, `drop role ${role}`);
    }
  });
});

/** Uses secrets in every way that the service has, and searches all that users can read for them. */
async function checkExposures(database?: string): Promise<void> {
  await using service = await PlantedService.start(database);
  const { template, overrides } = await plantSecrets(service.save, leakingScript(service.folder));
  const loginToken = await changePassword(service);
  const job = await runNativeJob(service, template, overrides);
  const plugged = await runPluginJob(service);
  await repeatRequest(service);
  await runExternalJob(service);
  await sendRefusedRequests(service, template);
  await service.request('/eventsource/1/test.json', {});
  await readEverything(service, [template, plugged.template, job, plugged.job]);
  await runEveryCommand(service, job);

  // Recorded while the service runs and after its end, because SQLite checkpoints its WAL when it is closed.
  await service.recordDatabase();
  const { program } = service;
  program.process.kill('SIGTERM');
  expect(await program.ended, program.err).to.equal(0);
  expect(program.log.some((line) => line['path'] === '/api/v1/login.json')).to.equal(true);
  service.exposures.push(['the output', program.out], ['the log', program.err]);
  await service.recordDatabase();
  expect(findPlantedSecrets(service.exposures, service.token.slice(4), loginToken.slice(4)).join('\n')).to.equal('');
}

/** Creates a user who changes their password. @returns a token that the user gets with the new password. */
async function changePassword(service: PlantedService): Promise<string> {
  const [old_password, password] = [secretFor('USER'), secretFor('USER2')];
  await service.save('user', { login: 'eva', password: old_password });
  const authorization = `Basic ${Buffer.from(`eva:${old_password}`).toString('base64')}`;
  const changed = await service.request('/user/2.json', { old_password, password }, { authorization });
  expect(changed.status).to.equal(200);
  return service.signIn('eva', password);
}

/** Runs a job that writes its secrets, and checks which processes have secrets while it runs. @returns its id. */
async function runNativeJob(service: PlantedService, template: number, environment: object): Promise<number> {
  const job = await service.save('job', { runtemplate_id: template, environment });
  try {
    await eventually('the job waits', () => existsSync(join(service.folder, 'waiting')));
    checkProcesses(service);
  } finally {
    writeFileSync(join(service.folder, 'go'), '');
  }
  const ended = await jobEnd(service, job);
  expect(ended.state, JSON.stringify(ended)).to.equal('succeeded');
  const encoded = ended.stdout.trimEnd().split('\n').slice(-3);
  expect(ended.stdout.trimEnd().split('\n')).to.deep.equal([...digestLines, mask, `argument ${mask}`, ...encoded]);
  // The characters of base64 that a secret shares with what surrounds it stay.
  expect(encoded.join('\n')).to.match(new RegExp(`^${mask}.?=*\ndXNlcj.${mask}.?=*\n${mask}$`));
  expect(ended.stderr.trimEnd()).to.equal(mask);
  expect(ended.arguments.at(-1)).to.equal(mask);
  return job;
}

/** Checks that jobs do not get the secrets of the service, and records what other processes can see of its own. */
function checkProcesses({ program, exposures }: PlantedService): void {
  const pid = program.process.pid as number;
  const processes = descendantProcesses(pid);
  const ofJob = processes.filter(({ environ }) => environ.includes('HORARIUM_JOB_ID='));
  const helpers = processes.filter((process) => !ofJob.includes(process));
  expect([ofJob.length > 0, helpers.length > 0]).to.deep.equal([true, true]);
  expect(ofJob[0]?.environ).to.include(`${marker}COMPANY_SECRET`);
  for (const { pid, cmdline, environ } of helpers) exposures.push([`/proc/${pid} ${cmdline}`, cmdline + environ]);
  exposures.push(['/proc/cmdline', readFileSync(`/proc/${pid}/cmdline`)]);
  for (const { pid, environ } of ofJob)
    for (const name of ['ADMIN', 'VAULT', 'PLUGIN', 'DATABASE'])
      for (const encoding of encodingsOf(`${marker}${name}`)) expect(environ, `of ${pid}`).not.to.include(encoding);
}

/** Runs a job of the planted plugin, which gets its secrets as options. */
async function runPluginJob(service: PlantedService): Promise<{ template: number; job: number }> {
  const executor_options = { key: secretFor('EXECUTOR') };
  const template = await service.save('runtemplate', { ...pluginTemplate, executor_options });
  const job = await service.save('job', { runtemplate_id: template });
  expect((await jobEnd(service, job)).state).to.equal('succeeded');
  return { template, job };
}

function jobEnd(service: PlantedService, id: number) {
  return eventually(`job ${id} has ended`, async () => {
    const job = JSON.parse((await service.request(`/job/${id}.json`)).text);
    return job.finished_at && job;
  });
}

/** Sends a secret twice under one idempotency key, so that its response is stored and replayed. */
async function repeatRequest(service: PlantedService): Promise<void> {
  const body = { values: { TYPED_CREDENTIAL: secretFor('REPEATED') } };
  const headers = { 'idempotency-key': 'once' };
  expect((await service.request('/credential/1.json', body, headers)).status).to.equal(200);
  expect((await service.request('/credential/1.json', body, headers)).status).to.equal(200);
}

/**
 * Runs a job as an external worker that repeats the only secret it is given, the key of its heartbeats, in one of them and
 * in every field of its reports.
 */
async function runExternalJob({ request, save }: PlantedService): Promise<void> {
  const runtemplate_id = await save('runtemplate', { ...pluginTemplate, name: 'Outside', executor: 'external' });
  const job = await save('job', { runtemplate_id });
  const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64');
  const claimed = await request(`/job/${job}.json`, { state: 'running' });
  const { search, searchParams } = new URL(JSON.parse(claimed.text).ping_url);
  const secret = searchParams.get('key');
  const heartbeat = await request(`/ping.json${search}&progress=4&message=${encodeURIComponent(`have ${secret}`)}`);
  expect([claimed.status, heartbeat.status]).to.deep.equal([200, 200]);
  expect(JSON.parse((await request(`/job/${job}.json`)).text).message).to.equal(`have ${mask}`);
  for (const report of [
    { stdout: `it is ${secret}\n`, stderr: `${secret}\n`, message: `still ${secret}`, progress: 5 },
    { exit_code: 1, reason: `because of ${secret}`, artifacts: [{ filename: `${secret}.bin`, content }] },
  ]) {
    const { status, text } = await request(`/job/${job}.json`, report);
    expect(status, text).to.equal(200);
  }
  const { stdout, reason, artifacts } = JSON.parse((await request(`/job/${job}.json`)).text);
  expect(artifacts[0]).to.include({ filename: `${mask}.bin`, size: 256 });
  expect([stdout, reason]).to.deep.equal([`it is ${mask}\n`, `because of ${mask}`]);
}

async function sendRefusedRequests({ request }: PlantedService, template: number): Promise<void> {
  for (const [path, body, headers] of refusedRequests(template)) {
    const { status, text } = await request(path, body, headers);
    expect(status, `${path} ${JSON.stringify(body)}: ${text}`).to.be.within(400, 499);
    // The same request with an HTML response.
    if (body !== undefined) await request(path.replace('.json', '.html'), body, headers);
  }
}

/** Reads every endpoint in every format, for the first records and those with these ids. */
async function readEverything({ request }: PlantedService, ids: readonly number[]): Promise<void> {
  const routes: { method: string; path: string }[] = JSON.parse((await request('/index.json')).text);
  const readRoutes = routes.filter(({ method, path }) => method === 'GET' && !path.includes('/login'));
  expect(readRoutes.length).to.be.above(30);
  let found = 0;
  for (const { path } of readRoutes) {
    const bare = path.replace('/api/v1', '').replace('.{suffix}', '');
    const pathIds = bare.includes('{') ? [...new Set([1, 2, ...ids])] : [0];
    for (const id of pathIds)
      for (const suffix of path.endsWith('.{suffix}') ? suffixes : ['']) {
        const filled = bare.replace(/\{\w+\}/g, String(id)) + (suffix && `.${suffix}`);
        if ((await request(path.startsWith('/api/v1') ? filled : `/${filled}`)).status === 200) found += 1;
      }
  }
  expect(found).to.be.above(150);
  for (const path of [
    '/auditlog.json?entity_type=Credential',
    '/jobs.csv?limit=all&order=id',
    '/job/1/output.json?follow=true',
  ])
    expect((await request(path)).status, path).to.equal(200);
}

/** Runs every command that reads, with tables and with JSON, and some with an invalid setting. */
async function runEveryCommand(service: PlantedService, job: number): Promise<void> {
  const names = await helpedCommands();
  const lists = names.filter((name) => name.endsWith(':list'));
  const gets = names.filter((name) => name.endsWith(':get'));
  expect([lists.length, gets.length]).to.deep.equal([22, 19]);
  const others = ['config', 'status', 'audit:verify', 'routes', 'schema', 'permissions', 'openapi', 'describe'];
  for (const line of [...lists, ...gets.map((name) => `${name} 1`), ...others])
    for (const format of ['table', 'json'])
      await service.command(line === 'openapi' || line === 'schema' ? line : `${line} --format ${format}`);
  for (const line of ['app:export 1', `job:output ${job}`, `job:get ${job}`, 'simulate --from 2026-11-22']) {
    const { code, err } = await service.command(line);
    expect(code, `${line}: ${err}`).to.equal(0);
  }
  for (const [name, value] of [
    ['HORARIUM_VAULT_KEY', `${marker}SHORT`],
    ['HORARIUM_VAULT_KEY', plantedVaultKey.replace('AAA', 'AAB')],
    ['HORARIUM_PLUGIN_OPTIONS', `{"planted": {"token": "${marker}"`],
    ['HORARIUM_PLUGIN_OPTIONS', JSON.stringify({ planted: { token: [secretFor('PLUGIN')] } })],
    ['HORARIUM_DATABASE_URL', `postgres://u:${marker}@127.0.0.1:1/x`],
    ['HORARIUM_DATABASE_URL', `mysql://u:${marker}@127.0.0.1:1/x`],
    ['HORARIUM_DATABASE_URL', `postgres://u:${marker}@127.0.0.1`],
  ] as const)
    expect((await service.command('status', { [name]: value })).code, name).to.equal(1);
}
