import { join } from 'node:path';
import { expect } from 'chai';
import { sourceRoot } from '../../house/source-files.ts';
import { fetchAsset, fetchCheckedBy } from '../../support/http/checked-fetch.ts';
import { OpenApiCheck } from '../../support/http/openapi-check.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { type SpawnedProgram, spawnService } from '../../support/program/spawned-program.ts';
import { TestCli } from '../../support/program/test-cli.ts';

const examples = ['on-time-route', 'on-time-command', 'queue-watch', 'import-topics', 'reviews'];

describe('The example plugins of the handbook, in a service that loads them', () => {
  let cli: TestCli;
  let service: SpawnedProgram;
  let url: string;
  let headers: Record<string, string>;
  let checked: ReturnType<typeof fetchCheckedBy>;

  before(async () => {
    const paths = examples.map((name) => join(import.meta.dirname, `../../examples/plugins/${name}.js`));
    paths.push(join(sourceRoot, 'test/examples/board/plugin.js'));
    cli = new TestCli(undefined, {
      HORARIUM_PLUGINS: ['built-in', ...paths].join(','),
      HORARIUM_SHUTDOWN_GRACE: '1s',
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'queue-watch': { seconds: 1 } }),
    });
    ({ service, url } = await spawnService(cli, ['--workers', '1']));
    const { json } = await cli.command('token:generate --user admin --format json');
    headers = { authorization: `Bearer ${json.token ?? json.access_token}`, 'content-type': 'application/json' };
    checked = fetchCheckedBy(new OpenApiCheck(JSON.parse(await run(['openapi']))));
    await run(['company:save', '--code', 'acme', '--name', 'Acme']);
    await run(['app:save', '--name', 'Sleep', '--executable', 'sleep', '--arguments', '3600']);
    await run('runtemplate:save --name Sleep --app-id 1 --company-id 1 --interval minutely --overlap allow'.split(' '));
  });
  after(async () => {
    service?.process.kill('SIGTERM');
    await service?.ended;
    cli?.[Symbol.dispose]();
  });

  async function run(words: readonly string[], input = ''): Promise<string> {
    const { code, out, err } = await cli.run(words, { input });
    expect([words, code, code === 0 ? '' : err]).to.deep.equal([words, 0, '']);
    return out;
  }
  const ask = (method: string, path: string) => checked(`${url}${path}`, { method, headers });

  it('answer the route of one', async () => {
    const rows = await (await ask('GET', '/on-time.json')).json();
    expect(rows).to.be.an('array');
    const { paths } = (await (await ask('GET', '/openapi.json')).json()) as { paths: object };
    expect(paths).to.include.keys('/on-time.{suffix}', '/runtemplate/{runTemplateId}/review.{suffix}');
  });

  it('serve the page and the files of one', async () => {
    const get = async (path: string) => {
      const response = await fetchAsset(new URL(path, url));
      return [response.status, response.headers.get('content-type'), await response.text()];
    };
    const [status, type, page] = await get('/board');
    expect([status, type]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(page).to.include('<base href="/board/">');
    expect(await get('/board/some/view')).to.deep.equal([status, type, page]);
    expect((await get('/board/board.js')).slice(0, 2)).to.deep.equal([200, 'text/javascript; charset=utf-8']);
  });

  it('run the command of one', async () => {
    expect(JSON.parse(await run(['on-time', '--days', '3', '--format', 'json']))).to.be.an('array');
    const { code, err } = await cli.command('on-time --days 0');
    expect([code, err]).to.deep.equal([
      1,
      'The command line of on-time is invalid: days must be greater than or equal to 1\n',
    ]);
  });

  it('import with one, once', async () => {
    const list = 'backup: Copies of data\n# left out\nreports: What people read\n';
    expect(await run(['topics:import', '-', '--format', 'json'], list)).to.include('"created"');
    expect(await run(['topics:import', '-', '--format', 'json'], list)).to.include('"unchanged"');
    expect(await run(['topic:list', '--order', 'name', '--format', 'json'])).to.match(/backup[\s\S]*reports/);
  });

  it('show the field of one with a template, and audit it', async () => {
    expect(JSON.parse(await run(['runtemplate:get', '1', '--format', 'json'])).reviewed_at).to.equal(null);
    expect((await ask('POST', '/runtemplate/1/review.json')).status).to.equal(204);
    expect(JSON.parse(await run(['runtemplate:get', '1', '--format', 'json'])).reviewed_at).to.match(/^\d{4}-/);
    expect(await run(['auditlog:list', '--entity-type', 'RunTemplate', '--limit', '1'])).to.include('reviewed_at');
  });

  it('log the sentence of one in the background', async () => {
    for (let count = 0; count < 4; count++) await run(['runtemplate:run', '1']);
    await eventually('a sentence on the queue', () => /"plugin":"queue-watch".*jobs are due/.test(service.err));
  });
});
