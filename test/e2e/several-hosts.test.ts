import { setTimeout as pause } from 'node:timers/promises';
import {
  App,
  allTables,
  Company,
  Core,
  type Executor,
  Job,
  RunTemplate,
  type Store,
  systemClock,
  trustedActor,
} from '@horarium/core';
import { NodeDigests, NodeVault, newVaultKey } from '@horarium/core/node';
import { expect } from 'chai';
import { openStore } from '../../adapters/mikro-orm/open-store.ts';
import { MovableClock } from '../support/clocks/movable-clock.ts';
import { checkWindowSteps } from '../support/faults/check-faults.ts';
import { ServiceWorld, type StoreKind } from '../support/faults/service-world.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { QuickHasher } from '../support/secrets/quick-hasher.ts';
import { Findings, groupBy, readFinalState } from '../support/simulation/invariants/findings.ts';
import { createDatabase, dropDatabase } from '../support/store/test-postgres.ts';

const second = 1000;
const everySecond = { interval: 'custom', cron: '* * * * * *', catch_up: 'all' } as const;

describe('several services on one store', () => {
  const check = async (kind: StoreKind, services: number) => {
    // The longest, so that no host loses its lease on a busy machine: no host dies here.
    await using world = await ServiceWorld.create(kind, { HORARIUM_LEASE: '12s' });
    const ids = [];
    const before = Date.now();
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      ids.push(await world.addTemplate(name, ['-c', 'true'], { ...everySecond, max_attempts: 3 }));
    const created = [before, Date.now()] as const;
    const started = await Promise.all(Array.from({ length: services }, () => world.startService()));
    await eventually('thirty Tasks are fulfilled', async () => (await world.run('status')).counts.tasks >= 30);
    for (const id of ids) await world.run('runtemplate:save', '--id', String(id), '--active', 'false');
    const until = Date.now();
    const store = await world.openStore();
    await eventually('every job has ended', async () =>
      (await readFinalState(store)).jobs.every((job) => job.finished_at !== null),
    );
    const { templates, tasks, jobs, workers } = await readFinalState(store);
    const findings = new Findings();
    const byTemplate = groupBy(tasks, (task) => task.runtemplate_id);
    for (const { id } of templates)
      checkWindowSteps(byTemplate.get(id) ?? [], { step: second, created, until }, findings);
    expect(findings.violations).to.deep.equal([]);
    expect(workers).to.have.length(services);
    // No job ran twice, although every service polls for work.
    for (const [id, own] of groupBy(jobs, (job) => job.task_id)) expect(own, `Task ${id}`).to.have.length(1);
    for (const { service } of started) service.process.kill('SIGTERM');
    expect(await Promise.all(started.map(({ service }) => service.ended))).to.deep.equal(started.map(() => 0));
  };

  it('create exactly one Task a window, three of them on PostgreSQL', () => check('postgresql', 3));
  it('create exactly one Task a window, two of them on one SQLite file', () => check('sqlite', 2));
});

/** Waits for a moment. */
const brief: Executor = {
  name: 'native',
  options: {},
  start: (_attempt, report) => {
    report.started({ pid: null });
    const usual = { exitCode: 0, signal: null, timedOut: false, reason: null, files: [] };
    return { done: pause(100).then(() => ({ ...usual, finishedAt: 0 })), stop: () => {} };
  },
};

describe('two hosts on one PostgreSQL whose clocks are two minutes apart', () => {
  const failures: unknown[] = [];
  const lost: string[] = [];
  const vault = new NodeVault(newVaultKey());

  const host = async (store: Store, ahead: number): Promise<Core> => {
    const clock = new MovableClock();
    clock.advance(ahead);
    const core = new Core({
      version: 'test',
      store,
      clock,
      vault,
      timezone: 'UTC',
      executors: [brief],
      passwordHasher: new QuickHasher(),
      digests: new NodeDigests(),
      host: ahead > 0 ? 'ahead' : 'behind',
      pid: 1,
      capacity: 2,
      pingUrl: () => 'http://localhost/',
      loginTtl: 1000,
      // Shorter than the difference between each clock and the clock of the database: a lease would seem to have run out.
      lease: 12 * second,
      events: {
        tickFailed: (_beat, error) => failures.push(error),
        templateFailed: (_id, error) => failures.push(error),
        maintenanceFailed: (_id, problem) => failures.push(problem),
        leaseLost: (jobs) => lost.push(...jobs.map(String)),
        workerLost: (worker) => lost.push(worker),
        auditForged: (ids) => failures.push(...ids),
        clockChanged: () => undefined,
        deliveryFailed: () => undefined,
        rowsExpired: () => undefined,
        auditArchived: () => undefined,
        auditNotArchived: () => undefined,
        taskUnmet: () => undefined,
        jobFailed: () => undefined,
        eventLoopBlocked: () => undefined,
      },
    });
    await core.start();
    return core;
  };

  it('share the work by the clock of the database, and neither declares the other dead', async () => {
    const url = await createDatabase();
    const [one, other] = await Promise.all([1, 2].map(() => openStore({ url, tables: allTables, clock: systemClock })));
    if (!one || !other) throw new Error('Two stores were to be opened.');
    await one.schema?.migrate();
    const hosts = [await host(one, 60 * second), await host(other, -60 * second)] as const;
    const operator = trustedActor('test');
    const begun = Date.now();
    const save = async (resource: string, input: Record<string, unknown>) =>
      (await hosts[0].records(resource).save(operator, input)).id;
    const company_id = await save(Company.name, { code: 'acme', name: 'Acme' });
    const app_id = await save(App.name, { name: 'a', executable: 'true' });
    for (const name of ['a', 'b', 'c', 'd']) await save(RunTemplate.name, { name, app_id, company_id, ...everySecond });
    const created = [begun, Date.now()] as const;
    await eventually('both have fulfilled Tasks', () =>
      one.transaction(
        async (tables) => {
          const jobs = await tables.of(Job).find({ where: [['state', '=', 'succeeded']] });
          const hosts = new Set(jobs.map((job) => job.worker?.split(':')[0]));
          return hosts.size === 2 && jobs.length >= 16;
        },
        { readOnly: true },
      ),
    );
    await Promise.all(hosts.map((core) => core.stop(10 * second)));
    const { templates, tasks, jobs, log, now } = await readFinalState(one);
    // The database runs on this machine, so its clock is right; the clocks of both hosts are not.
    expect(now).to.be.within(begun, Date.now());
    expect([failures, lost]).to.deep.equal([[], []]);
    const findings = new Findings();
    const byTemplate = groupBy(tasks, (task) => task.runtemplate_id);
    for (const { id } of templates)
      checkWindowSteps(byTemplate.get(id) ?? [], { step: second, created, until: now }, findings);
    expect(findings.violations).to.deep.equal([]);
    const fulfilled = tasks.filter(({ state }) => /^fulfilled/.test(state));
    expect(fulfilled).to.have.length.above(5);
    for (const task of fulfilled) {
      const own = jobs.filter((job) => job.task_id === task.id);
      expect(own).to.have.length(1);
      expect(own[0]?.started_at).to.be.within(task.window_start, now);
      expect(own[0]?.finished_at).to.be.within(own[0]?.started_at as number, now);
    }
    for (const entry of log) expect(entry.created_at).to.be.within(begun, now);
    expect(await hosts[0].verifyAudit()).to.include({ problem: null, open: 0 });
    await Promise.all([one.close(), other.close()]);
    await dropDatabase(url);
  });
});
