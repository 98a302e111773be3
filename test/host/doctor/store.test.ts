import { EventSource, WorkerLease } from '@horarium/core';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { Setting } from '#core/store/setting';
import { newRow } from '#core/store/table';
import { writePresence } from '#core/worker/lease/agent-presence';
import { serviceIds } from '../../../host/service-ids.ts';
import { MovableClock } from '../../support/clocks/movable-clock.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import { changeStore, runDoctor } from '../../support/program/doctor.ts';
import { spawnService } from '../../support/program/spawned-program.ts';
import { TestCli } from '../../support/program/test-cli.ts';
import { setClockAhead } from '../../support/store/set-clock-ahead.ts';
import { administer } from '../../support/store/test-postgres.ts';

const hour = 3_600_000;

for (const { database, openCli } of cliDatabases)
  describe(`doctor on ${database}`, () => {
    let cli: TestCli;
    beforeEach(async () => {
      cli = await openCli();
    });
    afterEach(() => cli[Symbol.dispose]());

    /** Registers a worker whose lease ends that much later than now, or earlier where it is negative. */
    const addWorker = (name: string, until: number, capacity = 4) =>
      changeStore(cli, (store) =>
        store.transaction(async (tables) => {
          const now = await tables.now();
          const lease = { name, host: `host-${name}`, pid: 17, started_at: now, lease_until: now + until, capacity };
          await tables.of(WorkerLease).insert([newRow(WorkerLease, { ...lease, executors: 'external' })]);
        }),
      );

    /** Adds active templates with these names, whose jobs run on this machine. */
    async function addTemplates(names: readonly string[]): Promise<void> {
      await cli.command('company:save --code acme --name Acme');
      await cli.command('app:save --name hello --executable true');
      for (const name of names) {
        const input = JSON.stringify({ name, company_id: 1, app_id: 1, interval: 'daily', executor: 'native' });
        const { code, err } = await cli.command('runtemplate:save --json -', { input });
        expect(code, err).to.equal(0);
      }
    }

    it('names where the store is, without its password', async () => {
      const [found] = (await runDoctor(cli)).of('database');
      const { password } = new URL((cli.environment['HORARIUM_DATABASE_URL'] as string).replace('sqlite:', 'file:'));
      expect(found).to.include({ state: 'ok', advice: '' });
      expect(found?.found).to.match(new RegExp(`^${database} answers`));
      if (password !== '') expect(found?.found).not.to.include(password);
    });

    it('warns where no service runs, and names one that fell silent', async () => {
      const [none] = (await runDoctor(cli)).of('workers');
      expect(none).to.include({ state: 'warn', found: 'no service is running' });
      await addWorker('a', hour);
      await addWorker('b', -hour);
      const { code, of } = await runDoctor(cli);
      const [live, silent] = of('workers');
      expect(code).to.equal(0);
      expect(live).to.include({ state: 'ok', found: '1 on host-a, for 4 jobs at once' });
      expect(silent?.state).to.equal('warn');
      expect(silent?.found).to.match(/^process 17 on host-b fell silent at \d{4}-/);
    });

    it('names times as other commands do: local ones, with --utc those of UTC, and for programs always those', async () => {
      await addWorker('b', -hour);
      const silence = async (options: string) =>
        /fell silent at (\d{4}-\d\d-\d\d.\d\d:\d\d:\d\d(?:\.\d{3})?[Z+]\S*)/.exec(
          (await cli.command(`doctor${options}`, { environment: { TZ: 'Asia/Tokyo' }, timezone: 'Asia/Tokyo' })).out,
        )?.[1] ?? '';
      const [local, inUtc, forPrograms] = [await silence(''), await silence(' --utc'), await silence(' --format yaml')];
      expect(local).to.match(/ .*\+09:00$/);
      expect(inUtc).to.match(/ .*\dZ$/);
      expect(forPrograms).to.match(/T.*\.\d{3}Z$/);
      expect(Date.parse(local)).to.equal(Date.parse(inUtc));
    });

    it('warns where every service that runs runs no jobs', async () => {
      await addWorker('a', hour, 0);
      const [found] = (await runDoctor(cli)).of('workers');
      expect(found).to.include({ state: 'warn', found: 'no service that is running runs jobs' });
    });

    it('counts the agents that are alive, which run jobs where no service does', async () => {
      await addWorker('a', hour, 0);
      await changeStore(cli, (store) =>
        store.transaction(async (tables) => {
          const alive_until = (await tables.now()) + hour;
          const usual = { pools: { gpu: null }, labels: {}, executors: ['native'], slots: 2, version: null };
          const agents = ['gpu1', 'gpu2'].map((agent) => ({ ...usual, agent, alive_until }));
          await writePresence(tables, agents);
        }),
      );
      const found = async () => (await runDoctor(cli)).of('workers')[0];
      expect(await found()).to.include({ state: 'ok', found: '2 agents, for 4 jobs at once' });
      await addWorker('b', hour);
      expect((await found())?.found).to.equal('1 on host-b, for 4 jobs at once; 2 agents, for 4 jobs at once');
    });

    it('names each template that no worker can run, with its company and the reason', async () => {
      expect((await runDoctor(cli)).of('templates')[0]?.state).to.equal('ok');
      await addTemplates(['Night']);
      await addWorker('a', hour);
      expect((await runDoctor(cli)).of('templates')).to.deep.equal([
        {
          check: 'templates',
          state: 'warn',
          found: '1 Night (Acme): no worker has the executor native: a host with its plugin must start',
          advice: 'horarium why 1',
        },
      ]);
    });

    it('counts the templates that cannot run where there are many', async () => {
      await addTemplates(Array.from({ length: 23 }, (_, index) => `n${index}`));
      await addWorker('a', hour);
      const rows = (await runDoctor(cli)).of('templates');
      expect(rows).to.have.length(21);
      expect(rows.at(-1)?.found).to.match(/^3 run templates: no worker has the executor native/);
    });

    it('names an event source whose last poll failed, unless it is disabled', async () => {
      for (const name of ['shop', 'old'])
        await cli.run(['eventsource:save', '--name', name, '--kind', 'webhook', '--set', `options=${hookOptions}`]);
      expect((await runDoctor(cli)).of('event sources')[0]?.found).to.equal('2 enabled, and none has failed last');
      await changeStore(cli, (store) =>
        store.transaction((tables) => tables.of(EventSource).updateWhere([], { last_error: 'connection refused' })),
      );
      await cli.command('eventsource:save --id 2 --enabled false');
      expect((await runDoctor(cli)).of('event sources')).to.deep.equal([
        {
          check: 'event sources',
          state: 'warn',
          found: '1 shop: connection refused',
          advice: 'horarium eventsource:test 1',
        },
      ]);
    });

    it('fails while the clock of the store is ahead and the service waits', async () => {
      expect((await runDoctor(cli)).of('clock').map(({ state }) => state)).to.deep.equal(['ok']);
      await changeStore(cli, (store) => setClockAhead(store, hour));
      const { code, of } = await runDoctor(cli);
      expect(code).to.equal(1);
      expect(of('clock').at(-1)?.state).to.equal('fail');
      expect(of('clock').at(-1)?.found).to.match(/^The clock of the store is 3600 s ahead .* horarium clock:confirm$/);
      const confirmed = await cli.command('clock:confirm');
      expect(confirmed.out).to.match(/^tester on bench confirmed at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+0[12]:00 that /);
    });

    it('registers no key that the store does not know yet', async () => {
      const fingerprints = async () => {
        let stored: unknown;
        await changeStore(cli, (store) =>
          store.transaction(async (tables) => {
            stored = await tables.of(Setting).find({});
          }),
        );
        return stored;
      };
      const before = await fingerprints();
      const newer = Buffer.alloc(32, 9).toString('base64');
      const { of } = await runDoctor(cli, { HORARIUM_VAULT_KEY: `${newer},${cli.environment['HORARIUM_VAULT_KEY']}` });
      expect(of('vault key')[0]?.state).to.equal('ok');
      expect(await fingerprints()).to.deep.equal(before);
    });

    it('finds the worker of a service that runs', async () => {
      const { service } = await spawnService(cli);
      try {
        const live = await eventually('the worker is found', async () =>
          (await runDoctor(cli)).of('workers').find(({ state }) => state === 'ok'),
        );
        expect(live.found).to.match(/^1 on .*, for 4 jobs at once$/);
      } finally {
        service.process.kill('SIGKILL');
        await service.ended;
      }
    });
  });

const hookOptions = JSON.stringify({ secret: `whsec_${Buffer.alloc(32, 5).toString('base64')}` });

describe('doctor where the role of the service lacks rights', () => {
  it('points to the grants, whichever check meets the table that lacks them', async () => {
    const postgresql = cliDatabases.find(({ database }) => database === 'PostgreSQL');
    using owner = (await postgresql?.openCli()) as TestCli;
    const url = new URL(owner.environment['HORARIUM_DATABASE_URL'] as string);
    const role = `service_${url.pathname.slice(1)}`;
    await administer(url.href, `create role ${role} login password 'x'`);
    const grant = (sql: string) => administer(url.href, `grant ${sql} to ${role}`);
    using cli = new TestCli(Object.assign(new URL(url), { username: role, password: 'x' }).href);
    const advice = 'Give the role of the service its rights on every table (grant): horarium help postgresql';
    const none = await runDoctor(cli);
    expect(none.of('database')[0]).to.include({ state: 'fail', advice });
    expect(none.of('database')[0]?.found).to.match(/ does not permit this user to do that\.$/);
    await grant('usage on schema public');
    await grant('select on horarium_migrations');
    const some = await runDoctor(cli);
    expect(some.of('database')[0]).to.include({ state: 'ok' });
    expect(some.of('vault key')[0]).to.include({ state: 'fail', advice });
    await grant('select on all tables in schema public');
    expect((await runDoctor(cli)).of('vault key')[0]).to.include({ state: 'ok' });
    const options = { 'fleet-nats': { host_key_file: 'hosts.key' } };
    const plugin = {
      HORARIUM_PLUGINS: 'built-in,fleet-nats',
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify(options),
    };
    expect((await owner.command('migrate', { environment: plugin })).code).to.equal(0);
    expect((await runDoctor(cli, plugin)).of('agents')[0]).to.include({ state: 'fail', advice });
    await grant('select on all tables in schema public');
    expect((await runDoctor(cli, plugin)).of('agents')[0]).to.include({ state: 'ok' });
    await administer(url.href, `drop owned by ${role}; drop role ${role}`);
  });
});

describe('doctor where the database has a clock of its own', () => {
  it('warns of a second of difference to the clock of the machine, and fails from a minute on', async () => {
    const postgresql = cliDatabases.find(({ database }) => database === 'PostgreSQL');
    using cli = (await postgresql?.openCli()) as TestCli;
    const clock = new MovableClock();
    const module = new ContainerModule(({ rebind }) => void rebind(serviceIds.clock).toConstantValue(clock));
    using moved = new TestCli(cli.environment['HORARIUM_DATABASE_URL'], {}, { modules: [module] });
    const found = async () => (await runDoctor(moved)).of('clock')[0];
    clock.advance(5000);
    const behind = await found();
    expect(behind?.state).to.equal('warn');
    expect(behind?.found).to.match(/^the clock of the store is [45]\.\d s behind that of this machine$/);
    clock.advance(-5000 - 2 * 60_000);
    const ahead = await found();
    expect(ahead?.state).to.equal('fail');
    expect(ahead?.found).to.match(/^the clock of the store is 1\d\d\.\d s ahead of that of this machine$/);
  });
});
