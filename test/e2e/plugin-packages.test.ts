import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { AnyPlugin } from '@horarium/core/plugin';
import { expect } from 'chai';
import { pluginTemplateKinds } from '../../host/plugins/new-plugin.ts';
import { sourceRoot } from '../house/source-files.ts';
import { readDocument } from '../support/docs/documents.ts';
import { fetchCheckedBy } from '../support/http/checked-fetch.ts';
import { HttpService } from '../support/http/http-service.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { installTimeout } from '../support/packages/installed-packages.ts';
import {
  adminPassword,
  examplePlugins,
  type PluginApplication,
  pluginApplication,
} from '../support/packages/plugin-application.ts';

const run = promisify(execFile);

describe('A plugin in a folder of its own', () => {
  let application: PluginApplication;
  before(async function () {
    this.timeout(installTimeout);
    application = await pluginApplication();
  });

  for (const name of examplePlugins)
    it(`${name} passes its own test, and plugin:check`, async () => {
      expect(await application.test(name))
        .to.match(/\bfail 0$/m)
        .and.match(/\bpass [1-9]/m);
      expect(await application.horarium('plugin:check', name)).to.match(
        new RegExp(`^The plugin ${name} can be used: \\d+ checks passed\\.$`, 'm'),
      );
    });

  for (const kind of pluginTemplateKinds)
    it(`that plugin:new writes for the kind ${kind} passes its own test, and plugin:check, as it is`, async () => {
      const name = `my-${kind}`;
      await application.horarium('plugin:new', kind, name);
      expect(await application.test(name))
        .to.match(/\bfail 0$/m)
        .and.match(/\bpass [1-9]/m);
      expect(await application.horarium('plugin:check', name)).to.match(
        /^The plugin my-\S+ can be used: (?:\d+ checks passed|nothing that it provides has a contract)\.$/m,
      );
    });

  it('has the types of what it uses, without a build', async () => {
    const modules = examplePlugins.flatMap((name) => ['plugin.js', 'fixtures.js'].map((file) => join(name, file)));
    const options = '--noEmit --allowJs --checkJs --strict --skipLibCheck --module nodenext --target esnext'.split(' ');
    const types = ['--types', 'node', '--typeRoots', join(sourceRoot, 'node_modules/@types')];
    const { stdout } = await run(join(sourceRoot, 'node_modules/.bin/tsc'), [...options, ...types, ...modules], {
      cwd: application.folder,
    }).catch((error: { stdout: string }) => error);
    expect(stdout).to.equal('');
  });

  it('works in a service that loads the examples by the names of their packages', async () => {
    const { folder } = application;
    const inbox = join(folder, 'inbox');
    mkdirSync(inbox);
    const [, greet] =
      /^(export const greet = .*)$/m.exec(readDocument('plugins/docs/handbook/extend/executor-plugin.md')) ?? [];
    const fail = "export const fail = async () => { throw new Error('no paper'); };";
    writeFileSync(join(folder, 'functions.js'), `${greet}\n${fail}\n`);
    const service = application.serve({
      HORARIUM_PLUGINS: ['built-in', ...examplePlugins].join(','),
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify({
        'action-append-file': { folder },
        'executor-function': { module: join(folder, 'functions.js') },
      }),
    });
    try {
      const [, url] = await service.waitForOutput(/^listening on (\S+)$/m);
      const { default: ndjson } = (await import(pathToFileURL(join(folder, 'format-ndjson/plugin.js')).href)) as {
        default: AnyPlugin;
      };
      const checkedFetch = fetchCheckedBy(new HttpService({ extraFormats: ndjson.formats ?? [] }).openApiCheck);
      const authorization = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const get = async (path: string) => (await checkedFetch(`${url}${path}`, { headers })).text();
      const post = async (path: string, fields: object) => {
        const response = await checkedFetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(fields) });
        const json = (await response.json()) as { id: number };
        expect(response.status, JSON.stringify(json)).to.equal(201);
        return json.id;
      };
      const on_failure = [{ action: 'append-file', file: 'failures.jsonl' }];
      const company_id = await post('/company/', { code: 'acme', name: 'Acme', on_failure });
      const template = async (executable: string) => {
        const environment = { NAME: { type: 'string', default: 'world' } };
        const app_id = await post('/app/', { name: executable, executable, environment });
        const own = { name: executable, app_id, company_id, interval: 'none', executor: 'function' };
        return post('/runtemplate/', own);
      };
      const [greeting, failing] = [await template('greet'), await template('fail')];
      const source = {
        name: 'inbox',
        kind: 'folder',
        options: { path: inbox },
        poll_interval: 1,
        companies: [company_id],
      };
      const event_source_id = await post('/eventsource/', source);
      await post('/eventrule/', { event_source_id, runtemplate_id: greeting, env_mapping: { NAME: 'name' } });
      appendFileSync(join(inbox, 'anna.txt'), 'hello');
      await post('/job/', { runtemplate_id: failing });
      const failures = join(folder, 'failures.jsonl');
      const appended = await eventually(
        'the failure is appended',
        () => existsSync(failures) && /^.*\n/.exec(readFileSync(failures, 'utf8'))?.[0],
      );
      expect(JSON.parse(appended)).to.include({
        event: 'on_failure',
        company: 'acme',
        template: 'fail',
        subject: '[Horarium] Acme: fail has failed',
      });
      const line = await eventually('the file has caused a job', async () =>
        (await get('/jobs.ndjson?limit=all&state=succeeded')).split('\n').find((job) => job.includes('"event"')),
      );
      const { id, ...job } = JSON.parse(line);
      expect(job).to.include({ runtemplate_id: greeting, trigger: 'event' });
      expect(JSON.parse(await get(`/job/${id}.ndjson`)).stdout).to.equal('Hello, anna.txt\n');
      expect(service.loggedErrors).to.deep.equal([]);
    } finally {
      service.process.kill('SIGINT');
      await service.ended;
    }
  });
});
