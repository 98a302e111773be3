import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkWindowSteps } from '../support/faults/check-faults.ts';
import { ServiceWorld } from '../support/faults/service-world.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { livingProcesses } from '../support/program/processes.ts';
import { Findings, readFinalState } from '../support/simulation/invariants/findings.ts';
import { TestPostgres } from '../support/store/test-postgres.ts';

const second = 1000;

describe('a service whose database is gone', () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = new TestPostgres();
    await postgres.start();
  });
  after(() => postgres.close());

  const statusOf = async (url: string, path: string) => (await checkedFetch(new URL(path, url))).status;

  it('reports it, stores what jobs did meanwhile, and schedules on when PostgreSQL is back', async () => {
    await using world = await ServiceWorld.create(
      'postgresql',
      { HORARIUM_LEASE: '12s' },
      { server: await postgres.start() },
    );
    const { folder } = world.cli;
    const { service, url } = await world.startService();
    const before = Date.now();
    const ticking = await world.addTemplate('ticking', ['-c', 'true'], {
      interval: 'custom',
      cron: '* * * * * *',
      catch_up: 'all',
      max_attempts: 5,
    });
    const created = [before, Date.now()] as const;
    const script = `touch '${folder}/begun'; until [ -e '${folder}/gone' ]; do sleep 0.05; done; echo survived; touch '${folder}/done'`;
    const short = await world.addDailyTemplate('short', script);
    await eventually('the job runs', () => existsSync(join(folder, 'begun')));
    const { token } = await world.run('token:generate', '--user', 'admin');
    expect(await statusOf(url, '/readyz')).to.equal(200);
    await postgres.stop();
    expect(await statusOf(url, '/readyz')).to.equal(503);
    expect(await statusOf(url, '/healthz')).to.equal(200);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'lost' });
    const refused = await checkedFetch(`${url}/topic/`, { method: 'POST', headers, body });
    expect(refused.status).to.equal(503);
    expect(((await refused.json()) as { detail: string }).detail).to.equal(
      'The database cannot be used at the moment; the log tells more under this request id.',
    );
    const named = /^PostgreSQL at 127\.0\.0\.1:\d+ \(database \S+\) does not answer\.$/;
    await eventually('the log names the database', () => world.log.some(({ reason }) => named.test(String(reason))));
    await world.cli.run(['topic:list']).then(({ code, err }) => {
      expect(code).to.equal(1);
      expect(err).to.match(/^PostgreSQL at 127\.0\.0\.1:\d+ \(database \S+\) does not answer\.\n$/);
    });
    writeFileSync(join(folder, 'gone'), '');
    await eventually('the job ended', () => existsSync(join(folder, 'done')));
    await postgres.start();
    await eventually('it is ready', async () => (await statusOf(url, '/readyz')) === 200);
    const [job] = await eventually('the end is recorded', async () => {
      const jobs = await world.jobs(short);
      return jobs[0].finished_at !== null && jobs;
    });
    expect(await world.run('job:get', String(job.id))).to.include({ state: 'succeeded', stdout: 'survived\n' });
    const back = Date.now();
    const store = await world.openStore();
    await eventually('Tasks that began since are fulfilled', async () =>
      (await readFinalState(store)).tasks.some(
        (task) => task.runtemplate_id === ticking && task.window_start > back && /^fulfilled/.test(task.state),
      ),
    );
    await world.run('runtemplate:save', '--id', String(ticking), '--active', 'false');
    const until = Date.now();
    const { tasks } = await readFinalState(store);
    const findings = new Findings();
    const own = tasks.filter((task) => task.runtemplate_id === ticking);
    checkWindowSteps(own, { step: second, created, until }, findings);
    expect(findings.violations).to.deep.equal([]);
    expect(await world.run('topic:list')).to.deep.equal([]);
    service.process.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
    const problems = service.loggedErrors;
    expect(problems.filter((line) => /stack|node:/.test(JSON.stringify(line)))).to.deep.equal([]);
  });

  it('reports that the SQLite file was moved away, and writes nothing until it is back', async () => {
    await using world = await ServiceWorld.create('sqlite');
    const { url } = await world.startService('--workers', '0');
    const { token } = await world.run('token:generate', '--user', 'admin');
    const file = (world.cli.environment['HORARIUM_DATABASE_URL'] as string).replace('sqlite:', '');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const post = (name: string) =>
      checkedFetch(`${url}/topic/`, { method: 'POST', headers, body: JSON.stringify({ name }) }).then(
        ({ status }) => status,
      );
    expect(await statusOf(url, '/readyz')).to.equal(200);
    renameSync(file, `${file}.aside`);
    expect(await statusOf(url, '/readyz')).to.equal(503);
    expect(await statusOf(url, '/healthz')).to.equal(200);
    expect(await post('lost')).to.equal(503);
    renameSync(`${file}.aside`, file);
    expect(await statusOf(url, '/readyz')).to.equal(200);
    expect(await post('kept')).to.equal(201);
    expect((await world.run('topic:list')).map(({ name }: { name: string }) => name)).to.deep.equal(['kept']);
  });

  it('stops its jobs while PostgreSQL is gone, and retries them when it is back', async () => {
    await using world = await ServiceWorld.create(
      'postgresql',
      { HORARIUM_LEASE: '4s' },
      { server: await postgres.start() },
    );
    const { folder } = world.cli;
    const { url } = await world.startService();
    const script = `[ $HORARIUM_ATTEMPT = 2 ] && exit 0; (sleep 1000 &); touch '${folder}/begun'; sleep 1000`;
    const long = await world.addDailyTemplate('long', script, { max_attempts: 2 });
    await eventually('the job runs', () => existsSync(join(folder, 'begun')));
    await postgres.stop();
    await eventually('no process of the job lives', () => world.countJobProcesses(long) === 0);
    expect(await statusOf(url, '/readyz')).to.equal(503);
    await postgres.start();
    const jobs = await eventually('the second attempt ended', async () => {
      const found = await world.jobs(long);
      return found.length === 2 && found[1].finished_at !== null && found;
    });
    expect(jobs[0].state).to.equal('lost');
    expect(jobs[1].state).to.equal('succeeded');
    expect((await world.tasks(long))[0]).to.include({ state: 'fulfilled', attempts: 2 });
  });

  it('stops and retries its jobs in the same way when PostgreSQL hangs', async () => {
    await using world = await ServiceWorld.create(
      'postgresql',
      { HORARIUM_LEASE: '6s' },
      { server: await postgres.start() },
    );
    const { folder } = world.cli;
    const { url } = await world.startService();
    const script = `[ $HORARIUM_ATTEMPT = 2 ] && exit 0; touch '${folder}/begun'; sleep 1000`;
    const template = await world.addDailyTemplate('hanging', script, { max_attempts: 2 });
    await eventually('the job runs', () => existsSync(join(folder, 'begun')));
    const server = Number(readFileSync(join(postgres.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
    const signal = (name: NodeJS.Signals) => {
      for (const { pid, parent } of livingProcesses()) if (pid === server || parent === server) process.kill(pid, name);
    };
    signal('SIGSTOP');
    try {
      expect(await statusOf(url, '/readyz')).to.equal(503);
      expect(await statusOf(url, '/healthz')).to.equal(200);
      await eventually('no process of the job lives', () => world.countJobProcesses(template) === 0);
    } finally {
      signal('SIGCONT');
    }
    await eventually('it is ready', async () => (await statusOf(url, '/readyz')) === 200);
    const [task] = await eventually('the Task has ended', async () => {
      const tasks = await world.tasks(template);
      return tasks[0].state !== 'open' && tasks[0].state !== 'running' && tasks;
    });
    const jobs = (await world.jobs(template)).map(({ state, reason }) => ({ state, reason }));
    expect(task.state, JSON.stringify([task, jobs])).to.equal('fulfilled');
    expect(
      jobs.map(({ state }) => state),
      JSON.stringify(jobs),
    ).to.deep.equal(['lost', 'succeeded']);
  });
});
