import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ServiceWorld } from '../support/faults/service-world.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { temporaryFolder } from '../support/mocha/temporary-folder.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { readFinalState } from '../support/simulation/invariants/findings.ts';

describe('a service whose disk is full', () => {
  let folder: string;
  let filler: string;
  let mounted = false;
  before(() => {
    folder = join(temporaryFolder('disk'), 'small');
    filler = join(folder, 'filler');
    mkdirSync(folder);
    mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]).status === 0;
  });
  after(() => {
    if (mounted) spawnSync('umount', ['-l', folder]);
  });

  const fill = () => {
    const piece = Buffer.alloc(4096);
    try {
      for (;;) appendFileSync(filler, piece);
    } catch (error) {
      expect(error).to.include({ code: 'ENOSPC' });
    }
  };

  it('rejects what it cannot store, commits nothing in part, and goes on when there is room (needs a small tmpfs)', async function () {
    if (!mounted) return this.skip();
    await using world = await ServiceWorld.create('sqlite', {
      HORARIUM_DATABASE_URL: `sqlite:${join(folder, 'h.sqlite')}`,
    });
    const outside = world.cli.folder;
    const { service, url } = await world.startService();
    const { token } = await world.run('token:generate', '--user', 'admin');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const kept: string[] = [];
    const refused: string[] = [];
    const post = async () => {
      const name = `topic ${kept.length + refused.length}`;
      const body = JSON.stringify({ name, description: 'x'.repeat(2000) });
      const response = await checkedFetch(`${url}/topic/`, { method: 'POST', headers, body });
      (response.status === 201 ? kept : refused).push(name);
      const said = (await response.json()) as { detail?: string };
      return { status: response.status, ...said };
    };
    expect(await post()).to.include({ status: 201 });
    const script = `touch '${outside}/begun'; until [ -e '${outside}/full' ]; do sleep 0.05; done; echo worked; touch '${outside}/done'`;
    const working = await world.addDailyTemplate('working', script);
    await eventually('the job runs', () => existsSync(join(outside, 'begun')));
    fill();
    const said = await eventually('a write is refused', async () => {
      const response = await post();
      return response.status !== 201 && response;
    });
    expect(said).to.include({
      status: 503,
      detail: 'The database cannot be used at the moment; the log tells more under this request id.',
    });
    const full = `The SQLite file ${folder}/h.sqlite cannot be used: there is no space left on the disk.`;
    await eventually('the log names the reason', () => world.log.some(({ reason }) => reason === full));
    writeFileSync(join(outside, 'full'), '');
    await eventually('the job ended', () => existsSync(join(outside, 'done')));
    expect((await checkedFetch(`${url}/topics.json`, { headers })).status).to.equal(200);
    expect((await post()).status).to.equal(503);
    expect(await world.run('topic:list')).to.have.length(kept.length);
    const command = await world.cli.command('topic:save --name nowhere');
    expect(command.code).to.equal(1);
    expect(command.err).to.equal(`${full}\n`);
    const readiness = async () => (await checkedFetch(new URL('/readyz', url))).status;
    await eventually('/readyz says so', async () => (await readiness()) === 503);
    rmSync(filler);
    await eventually('it is ready again', async () => (await readiness()) === 200);
    await eventually('there is room', async () => (await post()).status === 201);
    const [job] = await eventually('the end of the job is recorded', async () => {
      const jobs = await world.jobs(working);
      return jobs[0].finished_at !== null && jobs;
    });
    expect(await world.run('job:get', String(job.id))).to.include({ state: 'succeeded', stdout: 'worked\n' });
    service.process.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
    const { records } = await readFinalState(await world.openStore());
    const names = (records.get('Topic') as { name: string }[]).map(({ name }) => name);
    expect(names).to.have.members(kept);
    expect(await world.run('audit:verify')).to.include({ intact: true, problem: null });
  });

  it('keeps the older backup where a new one does not fit, and leaves no draft (needs a small tmpfs)', async function () {
    if (!mounted) return this.skip();
    using cli = new TestCli();
    await cli.command('migrate');
    const file = join(folder, 'b.jsonl');
    rmSync(join(folder, 'h.sqlite'), { force: true });
    expect(await cli.command(`backup ${file}`)).to.include({ code: 0 });
    const before = readFileSync(file, 'utf8');
    await cli.command('topic:save --name one');
    fill();
    try {
      expect(await cli.command(`backup ${file}`)).to.deep.include({
        code: 1,
        out: '',
        err: `${file} cannot be written (ENOSPC).\n`,
      });
      expect(readFileSync(file, 'utf8')).to.equal(before);
      expect(readdirSync(folder).filter((name) => name.endsWith('.draft'))).to.deep.equal([]);
    } finally {
      rmSync(filler);
    }
  });
});
