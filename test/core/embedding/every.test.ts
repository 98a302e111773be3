import { type Core, count, defineFunction, integer, systemClock, text, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { refusal } from '../../support/worlds/record-world.ts';
import { EmbeddingWorld } from './embedding-world.ts';

const me = trustedActor('test');

describe('A function that a core runs every so often', () => {
  let world: EmbeddingWorld;
  beforeEach(() => {
    world = new EmbeddingWorld();
  });
  const tasksOf = async (core: Core) => (await core.tasks.list(me, { order: 'id' })).rows;

  it('is run in each window, and each window has a Task with its outcome', async () => {
    const core = world.core();
    const jobIds: number[] = [];
    await core.every('* * * * *', 'checkStock', async ({ jobId, log }) => {
      jobIds.push(jobId);
      await log('counting');
      if (jobIds.length === 2) throw new Error('the scales are broken');
    });
    await core.start();
    await world.time.pass(3 * 60_000);
    await world.during(core.stop());
    const tasks = await tasksOf(core);
    expect(tasks.map(({ state, reason }) => [state, reason])).to.deep.equal([
      ['fulfilled', 'succeeded in time'],
      ['failed', 'the scales are broken'],
      ['fulfilled', 'succeeded in time'],
    ]);
    expect(tasks[0]?.window_start).to.equal(Date.UTC(2026, 10, 21, 6));
    const { pieces } = await core.jobs.output(me, jobIds[0] as number);
    expect(pieces.map(({ data }) => new TextDecoder().decode(data))).to.deep.equal(['counting\n']);
    expect((await core.verifyAudit()).problem).to.equal(null);
  });

  it('may start after the core', async () => {
    const core = world.core();
    await core.start();
    let calls = 0;
    await core.every('minutely', 'count', () => ++calls);
    await world.time.pass(60_000);
    await world.during(core.stop());
    expect(calls).to.equal(1);
  });

  it('leaves its name free if it is refused, with the intervals and the one that was probably meant', async () => {
    const core = world.core();
    const refused = core.every('dayly', 'count', () => undefined);
    expect((await refusal(refused)).message).to.match(
      /"dayly" is not a cron pattern: .* The intervals are minutely, hourly, .* Did you mean daily\?$/,
    );
    const other = () => undefined;
    expect((await core.every('daily', 'count', other)).interval).to.equal('daily');
    expect((await refusal(core.every('dayly', 'count', other))).message).to.contain('Did you mean daily?');
    expect((await refusal(core.every('daily', 'count', () => undefined))).message).to.equal(
      'There is another function count already.',
    );
  });

  it('is refused once the core was stopped, because it would never run', async () => {
    const core = world.core();
    await core.start();
    await world.during(core.stop());
    expect((await refusal(core.every('daily', 'count', () => undefined))).message).to.equal(
      'The core was stopped, so it cannot run the function count.',
    );
    expect(await tasksOf(core)).to.deep.equal([]);
  });

  it('has one App, company and RunTemplate, however often the program starts with it', async () => {
    const work = () => undefined;
    const schedule = () => world.core().every('0 6 * * *', 'backup', work, { deadline: '07:00', timezone: 'UTC' });
    const first = await schedule();
    const entries = (await world.core().auditLog.list(me)).rows.length;
    const core = world.core();
    const again = await core.every('0 6 * * *', 'backup', work, { deadline: '07:00', timezone: 'UTC' });
    expect(again).to.deep.equal(first);
    expect((await core.auditLog.list(me)).rows).to.have.length(entries);
    expect((await core.apps.list(me)).rows.map(({ code, executable }) => [code, executable])).to.deep.equal([
      ['backup', 'backup'],
    ]);
    expect((await core.companies.list(me)).rows.map(({ code }) => code)).to.deep.equal(['default']);
    expect(first).to.include({ code: 'backup', interval: 'custom', cron: '0 6 * * *', deadline: '07:00' });
  });

  it('gets another cadence and other options from the next start, and keeps what that leaves out', async () => {
    const work = () => undefined;
    await world.core().every('0 6 * * *', 'backup', work, { max_attempts: 3, arguments: ['--all'] });
    const core = world.core();
    const changed = await core.every('daily', 'backup', work, { deadline: '+2h', name: 'Nightly backup' });
    const expected = { interval: 'daily', cron: null, deadline: '+2h', max_attempts: 3, name: 'Nightly backup' };
    expect(changed).to.include(expected);
    expect((await core.apps.get(me, changed.app_id)).arguments).to.deep.equal(['--all']);
  });

  it('runs for the company of the given code', async () => {
    const core = world.core();
    const shop = await core.companies.save(me, { code: 'shop', name: 'The shop', environment: { PLACE: 'here' } });
    const template = await core.every('minutely', 'work', () => undefined, { company: 'shop' });
    expect(template.company_id).to.equal(shop.id);
  });

  it('gets the variables that its fields describe and its options set, which its App declares', async () => {
    const core = world.core();
    await core.companies.save(me, { code: 'shop', name: 'The shop', environment: { PLACE: 'here', OTHER: 'x' } });
    let got: unknown;
    const run = defineFunction({
      environment: { PLACE: text(100, { secret: 'encrypted' }), SHELVES: count(1) },
      run: ({ environment: { OTHER, SHELF }, values }) => {
        got = { OTHER, SHELF, ...values };
      },
    });
    const options = { company: 'shop', environment: { SHELF: '7' } };
    const { app_id } = await core.every('minutely', 'work', run, options);
    const declared = { SHELF: { type: 'string' }, PLACE: { type: 'secret' }, SHELVES: { type: 'integer' } } as const;
    expect((await core.apps.get(me, app_id)).environment).to.deep.equal(declared);
    const SHELVES = { type: 'integer', default: 3 } as const;
    await core.apps.save(me, {
      id: app_id,
      environment: { ...declared, SHELVES, PIN: { type: 'secret', default: '4711' } },
    });
    await core.every('minutely', 'work', run, { ...options, environment: { SHELF: '8', ROW: '9' } });
    const { environment } = await core.apps.get(me, app_id);
    expect(Object.keys(environment)).to.deep.equal(['SHELF', 'PLACE', 'SHELVES', 'PIN', 'ROW']);
    await core.start();
    await world.time.pass(60_000);
    await world.during(core.stop());
    expect(got).to.deep.equal({ OTHER: undefined, SHELF: '8', PLACE: 'here', SHELVES: 3 });
  });

  it('is rejected where its cadence is none, or its name is taken', async () => {
    const core = world.core();
    const work = () => undefined;
    expect((await refusal(core.every('often', 'work', work))).errors.map(({ field }) => field)).to.deep.equal(['cron']);
    expect(await core.apps.count(me, {}, 10)).to.equal(0);
    await core.apps.save(me, { code: 'dump', name: 'Dump', executable: '/usr/bin/pg_dump' });
    expect((await refusal(core.every('daily', 'dump', work))).message).to.equal(
      'The App dump runs /usr/bin/pg_dump, not a function: choose another name for the function.',
    );
  });

  it('is rejected by a core without an executor of functions', async () => {
    const core = world.core({ executors: [], clock: systemClock });
    expect((await refusal(core.every('daily', 'work', () => undefined))).message).to.equal(
      'This core runs no functions: give it functions() among its executors.',
    );
  });

  it('is stopped with the core, which records its job as lost', async () => {
    const core = world.core();
    const reasons: string[] = [];
    await core.every(
      'minutely',
      'endless',
      ({ signal }) =>
        new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason.message);
            resolve();
          });
        }),
    );
    await core.start();
    await world.time.pass(30_000);
    await world.during(core.stop(1000));
    expect(reasons).to.deep.equal(['the worker was shut down']);
    expect((await core.jobs.list(me)).rows.map(({ state }) => state)).to.include('lost');
  });
});

describe('A function that a core runs on demand', () => {
  const confirmBy = (run: (order: number) => unknown) =>
    defineFunction({ environment: { ORDER: integer().required() }, run: ({ values }) => run(values.ORDER) });

  it('runs for each job that is scheduled, several at once, with the variables of that job', async () => {
    const world = new EmbeddingWorld();
    const core = world.core();
    const orders: number[] = [];
    const all = Promise.withResolvers<void>();
    const confirm = confirmBy((order) => {
      orders.push(order);
      if (orders.length === 2) all.resolve();
      return all.promise;
    });
    const { id } = await core.onDemand('confirm', confirm);
    await core.start();
    await world.time.pass(60_000);
    expect(orders).to.deep.equal([]);
    for (const ORDER of ['1', '2']) await core.jobs.schedule(me, { runtemplate_id: id, environment: { ORDER } });
    await world.time.pass(2000);
    await world.during(core.stop());
    expect(orders.sort()).to.deep.equal([1, 2]);
    expect((await core.jobs.list(me)).rows.map(({ state }) => state)).to.deep.equal(['succeeded', 'succeeded']);
    expect(await core.tasks.count(me, {}, 10)).to.equal(0);
  });

  it('has one App and RunTemplate, however often the program starts, and may forbid two jobs at once', async () => {
    const world = new EmbeddingWorld();
    const confirm = confirmBy(() => undefined);
    const start = (options = {}) => world.core().onDemand('confirm', confirm, options);
    const first = await start();
    expect(first).to.include({ code: 'confirm', interval: 'none', overlap: 'allow' });
    expect(await start()).to.deep.equal(first);
    expect(await start({ overlap: 'forbid' })).to.include({ id: first.id, overlap: 'forbid' });
    const core = world.core();
    expect((await core.apps.list(me)).rows).to.have.length(1);
    const refused = core.jobs.schedule(me, { runtemplate_id: first.id, environment: { OTHER: '1' } });
    expect((await refusal(refused)).errors.map(({ field }) => field)).to.deep.equal(['environment.OTHER']);
  });
});

describe('A core that is disposed', () => {
  it('stops as stop does, once', async () => {
    const world = new EmbeddingWorld();
    let calls = 0;
    const core = world.core();
    await core.every('minutely', 'count', () => ++calls);
    await core.start();
    await world.time.pass(30_000);
    await world.during(core[Symbol.asyncDispose]());
    await core.stop();
    await world.time.pass(300_000);
    expect(calls).to.equal(1);
    expect((await core.readiness()).ready).to.equal(false);
  });

  it('need not have been started', async () => {
    await using core = new EmbeddingWorld().core();
    expect((await core.readiness()).ready).to.equal(true);
  });
});
