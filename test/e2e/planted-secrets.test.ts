import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { type Exposure, encodingsOf, findPlantedSecrets } from '../support/planted/find-planted-secrets.ts';
import { digestLines, marker, plantSecrets, secretFor } from '../support/planted/planted-secrets.ts';
import { refusedRequests } from '../support/planted/refused-requests.ts';
import { secretPluginSource } from '../support/planted/secret-plugin-source.ts';
import { descendantProcesses } from '../support/program/processes.ts';
import { spawnService } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { administer, createDatabase, dropDatabase } from '../support/store/test-postgres.ts';

const suffixes = ['json', 'xml', 'yaml', 'csv', 'html'];
const adminPassword = secretFor('ADMIN');
/** A key of 32 bytes whose base64 can be recognised. */
const vaultKey = `${`${marker}VAULT`.padEnd(42, 'A')}A=`;
const mask = '••••••••';

/** Writes each of two secrets in two halves, and one as it was given as an argument; then waits for a file. */
const blabbing = (folder: string) => `
say() { printf %s "$1" | head -c 14; sleep 0.3; printf %s "$1" | tail -c +15; echo; }
say "$UNTYPED_CREDENTIAL"; say "$COMPANY_SECRET" >&2; echo "argument $1"
touch '${folder}/waits'; while [ ! -e '${folder}/go' ]; do sleep 0.05; done`;

describe('secrets planted in every field that takes one', () => {
  const check = async (database: string | undefined) => {
    using cli = new TestCli(database, {
      HORARIUM_ADMIN_PASSWORD: adminPassword,
      HORARIUM_VAULT_KEY: vaultKey,
      HORARIUM_LOG_LEVEL: 'trace',
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ planted: { token: secretFor('PLUGIN') } }),
      HORARIUM_PLUGINS: [
        ...suffixes.map((suffix) => `format-${suffix}`),
        'executor-native',
        'executor-external',
        'event-source-changes-table',
        'import-app-definition',
        './planted.mjs',
      ].join(),
    });
    writeFileSync(join(cli.folder, 'planted.mjs'), secretPluginSource());
    const seen: Exposure[] = [];
    const { service, url } = await spawnService(cli);
    const minted = await cli.command('token:generate --user admin --format json');
    const token = minted.json.token as string;
    const ask = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const sent = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
      const response = await checkedFetch(path.startsWith('//') ? new URL(path.slice(1), url) : `${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: sent,
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      seen.push([`${body === undefined ? 'GET' : 'POST'} ${path}`, JSON.stringify([...response.headers]) + text]);
      return { status: response.status, text };
    };
    const save = async (one: string, fields: object) => {
      const { status, text } = await ask(`/${one}/`, fields);
      expect(status, text).to.equal(201);
      return JSON.parse(text).id as number;
    };
    try {
      const { template, overrides } = await plantSecrets(save, blabbing(cli.folder));
      await save('user', { login: 'eva', password: secretFor('USER') });
      const password = secretFor('USER2');
      const eva = Buffer.from(`eva:${secretFor('USER')}`).toString('base64');
      const changed = { old_password: secretFor('USER'), password };
      expect((await ask('/user/2.json', changed, { authorization: `Basic ${eva}` })).status).to.equal(200);
      const login = JSON.parse((await ask('/login.json', { login: 'eva', password })).text);
      seen.pop();
      const other = { name: 'Plugged', app_id: 1, company_id: 1, interval: 'none', executor: 'planted' };
      const plugged = await save('runtemplate', { ...other, executor_options: { key: secretFor('EXECUTOR') } });

      // One job writes its secrets, the other gets them in its options.
      const job = await save('job', { runtemplate_id: template, environment: overrides });
      await eventually('the job waits', () => existsSync(join(cli.folder, 'waits')));
      const processes = descendantProcesses(service.process.pid as number);
      const own = processes.filter(({ environ }) => environ.includes('HORARIUM_JOB_ID='));
      const helpers = processes.filter((each) => !own.includes(each));
      expect([own.length > 0, helpers.length > 0]).to.deep.equal([true, true]);
      expect(own[0]?.environ).to.include(`${marker}COMPANY_SECRET`);
      for (const { pid, cmdline, environ } of helpers) seen.push([`/proc/${pid} ${cmdline}`, cmdline + environ]);
      seen.push(['/proc/cmdline', readFileSync(`/proc/${service.process.pid}/cmdline`)]);
      for (const { pid, environ } of own)
        for (const place of ['ADMIN', 'VAULT', 'PLUGIN', 'DATABASE'])
          for (const form of encodingsOf(`${marker}${place}`)) expect(environ, `of ${pid}`).not.to.include(form);
      writeFileSync(join(cli.folder, 'go'), '');
      const pluggedJob = await save('job', { runtemplate_id: plugged });
      const ended = (id: number) =>
        eventually(`job ${id} ended`, async () => {
          const shown = JSON.parse((await ask(`/job/${id}.json`)).text);
          return shown.finished_at && shown;
        });
      const ran = await ended(job);
      expect(ran.state, JSON.stringify(ran)).to.equal('succeeded');
      expect(ran.stdout.trimEnd().split('\n')).to.deep.equal([...digestLines, mask, `argument ${mask}`]);
      expect(ran.stderr.trimEnd()).to.equal(mask);
      expect(ran.arguments.at(-1)).to.equal(mask);
      expect((await ended(pluggedJob)).state).to.equal('succeeded');

      const again = { 'idempotency-key': 'once' };
      const kept = { values: { TYPED_CREDENTIAL: secretFor('REPEATED') } };
      for (let n = 0; n < 2; n++) expect((await ask('/credential/1.json', kept, again)).status).to.equal(200);
      await reportOutside(ask, save, other);
      for (const [path, body, headers] of refusedRequests(template)) {
        const { status, text } = await ask(path, body, headers);
        expect(status, `${path} ${JSON.stringify(body)}: ${text}`).to.be.within(400, 499);
        if (body !== undefined) await ask(path.replace('.json', '.html'), body, headers);
      }
      await ask('/eventsource/1/test.json', {});
      await readEverything(ask, [template, plugged, job, pluggedJob]);
      await runEveryCommand(cli, seen, job);

      // Before and after the database has vacuumed.
      seen.push(...(await contents(cli, database)));
      service.process.kill('SIGTERM');
      expect(await service.ended, service.err).to.equal(0);
      expect(service.log.some((line) => line['path'] === '/api/v1/login.json')).to.equal(true);
      seen.push(['the output', service.out], ['the log', service.err], ...(await contents(cli, database)));
      expect(findPlantedSecrets(seen, token.slice(4), login.token.slice(4)).join('\n')).to.equal('');
    } finally {
      writeFileSync(join(cli.folder, 'go'), '');
      service.process.kill('SIGKILL');
      await service.ended;
    }
  };

  it('reach the jobs and are found nowhere else on SQLite', () => check(undefined)).timeout(120_000);

  it('reach the jobs and are found nowhere else on PostgreSQL', async () => {
    const made = await createDatabase();
    const role = `planted_${process.pid}`;
    const password = `${marker}DATABASE`;
    await administer(made, `create role ${role} login superuser password '${password}'`);
    const url = new URL(made);
    [url.username, url.password] = [role, password];
    try {
      await check(url.href);
    } finally {
      const admin = new URL(made);
      admin.pathname = '/postgres';
      await dropDatabase(made);
      await administer(admin.href, `drop role ${role}`);
    }
  }).timeout(120_000);
});

type Ask = (
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<{ status: number; text: string }>;

/** Does a job outside the service, and repeats its secrets in every report and heartbeat. */
async function reportOutside(ask: Ask, save: (one: string, fields: object) => Promise<number>, template: object) {
  const secret = secretFor('COMPANY_SECRET');
  const runtemplate_id = await save('runtemplate', { ...template, name: 'Outside', executor: 'external' });
  const job = await save('job', { runtemplate_id });
  const content = Buffer.from(Array.from({ length: 256 }, (_, at) => at)).toString('base64');
  const claimed = await ask(`/job/${job}.json`, { state: 'running' });
  const { search } = new URL(JSON.parse(claimed.text).ping_url);
  const tick = await ask(`/ping.json${search}&progress=4&message=${encodeURIComponent(`have ${secret}`)}`);
  expect([claimed.status, tick.status]).to.deep.equal([200, 200]);
  expect(JSON.parse((await ask(`/job/${job}.json`)).text).message).to.equal(`have ${mask}`);
  for (const body of [
    { stdout: `it is ${secret}\n`, stderr: `${secret}\n`, message: `still ${secret}`, progress: 5 },
    { exit_code: 1, reason: `because of ${secret}`, artifacts: [{ filename: `${secret}.bin`, content }] },
  ]) {
    const { status, text } = await ask(`/job/${job}.json`, body);
    expect(status, text).to.equal(200);
  }
  const { stdout, reason, artifacts } = JSON.parse((await ask(`/job/${job}.json`)).text);
  expect(artifacts[0]).to.include({ filename: `${mask}.bin`, size: 256 });
  expect([stdout, reason]).to.deep.equal([`it is ${mask}\n`, `because of ${mask}`]);
}

/** Reads every endpoint in every format, for the records that exist. */
async function readEverything(ask: Ask, ids: readonly number[]): Promise<void> {
  const routes: { method: string; path: string }[] = JSON.parse((await ask('/index.json')).text);
  const reading = routes.filter(({ method, path }) => method === 'GET' && !path.includes('/login'));
  expect(reading.length).to.be.above(30);
  let good = 0;
  for (const { path } of reading) {
    const bare = path.replace('/api/v1', '').replace('.{suffix}', '');
    const numbers = bare.includes('{') ? [...new Set([1, 2, ...ids])] : [0];
    for (const id of numbers)
      for (const suffix of path.endsWith('.{suffix}') ? suffixes : ['']) {
        const filled = bare.replace(/\{\w+\}/g, String(id)) + (suffix && `.${suffix}`);
        if ((await ask(path.startsWith('/api/v1') ? filled : `/${filled}`)).status === 200) good += 1;
      }
  }
  expect(good).to.be.above(150);
  for (const path of [
    '/auditlog.json?entity_type=Credential',
    '/jobs.csv?limit=all&order=id',
    '/job/1/output.json?follow=true',
  ])
    expect((await ask(path)).status, path).to.equal(200);
}

/** Runs every command that reads, with tables and with JSON, and some that refuse a setting. */
async function runEveryCommand(cli: TestCli, seen: Exposure[], job: number): Promise<void> {
  const run = async (line: string, environment: Readonly<Record<string, string>> = {}) => {
    const { code, out, err } = await cli.command(line, { environment });
    seen.push([`horarium ${line}`, out + err]);
    return { code, out, err };
  };
  const help = await run('--help');
  const names = [...help.out.matchAll(/^ {2}([a-z_]+(?::[a-z]+)?) /gm)].map(([, name]) => name as string);
  const lists = names.filter((name) => name.endsWith(':list'));
  const gets = names.filter((name) => name.endsWith(':get'));
  expect([lists.length, gets.length]).to.deep.equal([15, 14]);
  const shown = ['config', 'status', 'audit:verify', 'routes', 'schema', 'permissions', 'openapi', 'describe'];
  for (const line of [...lists, ...gets.map((name) => `${name} 1`), ...shown])
    for (const format of ['table', 'json'])
      await run(line === 'openapi' || line === 'schema' ? line : `${line} --format ${format}`);
  for (const line of ['app:export 1', `job:output ${job}`, `job:get ${job}`, 'simulate --from 2026-11-22']) {
    const { code, err } = await run(line);
    expect(code, `${line}: ${err}`).to.equal(0);
  }
  for (const [name, value] of [
    ['HORARIUM_VAULT_KEY', `${marker}SHORT`],
    ['HORARIUM_VAULT_KEY', vaultKey.replace('AAA', 'AAB')],
    ['HORARIUM_PLUGIN_OPTIONS', `{"planted": {"token": "${marker}"`],
    ['HORARIUM_PLUGIN_OPTIONS', JSON.stringify({ planted: { token: [secretFor('PLUGIN')] } })],
    ['HORARIUM_DATABASE_URL', `postgres://u:${marker}@127.0.0.1:1/x`],
    ['HORARIUM_DATABASE_URL', `mysql://u:${marker}@127.0.0.1:1/x`],
    ['HORARIUM_DATABASE_URL', `postgres://u:${marker}@127.0.0.1`],
  ] as const)
    expect((await run('status', { [name]: value })).code, name).to.equal(1);
}

/** Reads all that the database stores: its files, or every row as text. */
async function contents(cli: TestCli, url: string | undefined): Promise<Exposure[]> {
  if (url === undefined) {
    const files = readdirSync(cli.folder).filter((name) => name.startsWith('h.sqlite'));
    return files.map((name) => [name, readFileSync(join(cli.folder, name))]);
  }
  const tables = await administer(
    url,
    `select table_name from information_schema.tables where table_schema = 'public'`,
  );
  expect(tables.length).to.be.above(20);
  const rows = tables.map(async ({ table_name }): Promise<Exposure> => {
    const found = await administer(url, `select t::text as row from "${table_name}" t`);
    return [String(table_name), found.map(({ row }) => row).join('\n')];
  });
  return Promise.all(rows);
}
