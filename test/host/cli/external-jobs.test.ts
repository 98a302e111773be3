import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { TestCli } from '../../support/program/test-cli.ts';

describe('job:claim and job:report', () => {
  let cli: TestCli;
  let job: number;

  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
    await cli.command('app:save --name Render --executable render');
    const saved = await cli.run([
      ...'runtemplate:save --name T --app-id 1 --company-id 1 --interval none --executor external --format json'.split(
        ' ',
      ),
      '--executor-options={"heartbeat_timeout": 60}',
    ]);
    expect(saved.json).to.deep.include({ executor: 'external', executor_options: { heartbeat_timeout: 60 } });
    job = (await cli.command(`runtemplate:run ${saved.json.id} --format json`)).json.id;
  });
  after(() => cli[Symbol.dispose]());

  it('claim a job once, and show the address of its heartbeats', async () => {
    const early = await cli.command(`job:report ${job} --exit-code 0`);
    expect([early.code, early.err]).to.deep.equal([
      1,
      `Job ${job} is not running: claim it first, with the state running.\n`,
    ]);
    const claimed = await cli.command(`job:claim ${job} --format json`);
    expect(claimed.json).to.include({ id: job, state: 'running', worker: 'external:tester on bench' });
    expect(claimed.json.ping_url).to.match(/\/api\/v1\/ping\.json\?job=\d+&key=[\w-]{43}$/);
    const again = await cli.command(`job:claim ${job}`);
    expect([again.code, again.err]).to.deep.equal([1, `Job ${job} is taken: external:tester on bench runs it.\n`]);
  });

  it('report progress and the end of a job from options and from a file', async () => {
    const going = await cli.command(`job:report ${job} --progress 40 --message rendering`);
    expect([going.code, going.err]).to.deep.equal([0, `Job ${job} is running.\n`]);
    await cli.command(`job:report ${job} --json -`, { input: JSON.stringify({ stdout: 'page 1\npage 2\n' }) });
    const wrong = await cli.command(`job:report ${job} --progress 400`);
    expect([wrong.code, wrong.err]).to.deep.equal([1, 'Job is invalid: progress must be less than or equal to 100\n']);
    mkdirSync(join(cli.folder, 'out'));
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
    writeFileSync(join(cli.folder, 'out', 'pages.bin'), bytes);
    writeFileSync(join(cli.folder, 'index.html'), '<p>');
    const files = await cli.command(`job:report ${job} --artifact out/pages.bin index.html`);
    expect([files.code, files.err]).to.deep.equal([0, `Job ${job} is running.\n`]);
    const missing = await cli.command(`job:report ${job} --artifact none --exit-code 0`);
    expect([missing.code, missing.err]).to.deep.equal([
      1,
      `${join(cli.folder, 'none')} cannot be read: ENOENT: no such file or directory, open '${join(cli.folder, 'none')}'.\n`,
    ]);
    const done = await cli.command(`job:report ${job} --exit-code 3 --reason null --stderr oh`);
    expect(done.err).to.equal(`Job ${job} has ended: it is failed.\n`);
    const shown = (await cli.command(`job:get ${job} --format json`)).json;
    expect(shown).to.include({ exit_code: 3, reason: 'exit code 3', progress: 40, message: 'rendering', stderr: 'oh' });
    expect(shown.artifacts).to.deep.equal([
      {
        id: 1,
        filename: 'pages.bin',
        content_type: 'application/octet-stream',
        size: 256,
        sha256: hash('sha256', bytes),
      },
      { id: 2, filename: 'index.html', content_type: 'text/html', size: 3, sha256: hash('sha256', '<p>') },
    ]);
    expect((await cli.command(`job:output ${job} --stream stdout`)).out).to.equal('page 1\npage 2\n');
  });

  it('leave files, which job:artifact saves under their names, and in the place of none', async () => {
    rmSync(join(cli.folder, 'index.html'));
    expect(await cli.command('job:artifact 2')).to.deep.include({
      code: 0,
      out: '',
      err: 'Artifact 2 is saved as index.html: 3 bytes.\n',
    });
    expect(readFileSync(join(cli.folder, 'index.html'), 'utf8')).to.equal('<p>');
    const again = await cli.command('job:artifact 1 index.html');
    expect([again.code, again.err]).to.deep.equal([
      1,
      'index.html exists: name another file, or - for standard output.\n',
    ]);
    expect((await cli.command('job:artifact 1 out/copy.bin')).code).to.equal(0);
    expect(readFileSync(join(cli.folder, 'out', 'copy.bin'))).to.deep.equal(
      readFileSync(join(cli.folder, 'out', 'pages.bin')),
    );
    expect(readdirSync(join(cli.folder, 'out'))).to.have.members(['copy.bin', 'pages.bin']);
    expect((await cli.command('job:artifact 2 -')).out).to.equal('<p>');
    const long = 'n'.repeat(255);
    expect((await cli.command(`job:artifact 2 out/${long}`)).code).to.equal(0);
    expect(readFileSync(join(cli.folder, 'out', long), 'utf8')).to.equal('<p>');
  });

  it('leave files that job:artifact refuses once they were changed in the store, in a file and in a pipe', async () => {
    const store = new Database(join(cli.folder, 'h.sqlite'));
    store.exec(`update horarium_artifact_content set content = x'585858' where artifact_id = 2`);
    store.close();
    const refused = 'Artifact 2 was changed in the store: its content does not have its checksum.\n';
    expect(await cli.command('job:artifact 2 -')).to.deep.include({ code: 1, err: refused });
    expect(await cli.command('job:artifact 2 changed.html')).to.deep.include({ code: 1, err: refused });
    expect(readdirSync(cli.folder)).not.to.include('changed.html');
  });

  it('have an option for every field of a report', async () => {
    const { out } = await cli.command('job:report --help');
    for (const option of ['--exit-code', '--signal', '--reason', '--stdout', '--stderr', '--progress', '--message'])
      expect(out).to.include(option);
    expect(out).to.include('--artifact <files...>').and.not.to.include('--artifacts');
  });
});
