import { expect } from 'chai';
import { FakedClock, libfaketime } from '../support/clocks/faked-clock.ts';
import { ServiceWorld } from '../support/faults/service-world.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { SpawnedProgram } from '../support/program/spawned-program.ts';
import { TestPostgres } from '../support/store/test-postgres.ts';

const second = 1000;
const halfAnHour = 1800;
const day = 86_400;
/** The step of the windows, in seconds. */
const step = 5;

interface ShownTask {
  readonly state: string;
  readonly window_start: string;
}

describe('a service whose clock jumps (HORARIUM_TEST_LIBFAKETIME)', function () {
  // A busy machine misses a window of a few seconds by itself; a defect would show again.
  this.retries(2);

  before(function () {
    if (libfaketime === undefined) this.skip();
  });

  const readiness = async (url: string) => {
    const response = await checkedFetch(new URL('/readyz', url));
    const { reason } = (await response.json()) as { readonly reason: string | null };
    return { status: response.status, reason };
  };
  const startsOf = (tasks: readonly ShownTask[]) =>
    tasks.map((task) => Date.parse(task.window_start)).sort((a, b) => a - b);
  const addTemplate = (world: ServiceWorld) =>
    world.addTemplate('steady', ['-c', 'true'], { interval: 'custom', cron: `*/${step} * * * * *`, catch_up: 'none' });
  /** Waits until that many further Tasks are fulfilled. */
  const fulfilled = async (world: ServiceWorld, template: number, count: number) => {
    const done = async () => (await world.tasks(template)).filter(({ state }) => state === 'fulfilled').length;
    const before = await done();
    await eventually(`${count} further Tasks are fulfilled`, async () => (await done()) >= before + count);
  };
  const expectWindowsWithoutGap = (tasks: readonly ShownTask[]) => {
    const starts = startsOf(tasks);
    const steps = starts.slice(1).map((start, index) => start - (starts[index] as number));
    expect(steps).to.deep.equal(steps.map(() => step * second));
    expect(Math.max(...starts)).to.be.at.most(Date.now());
  };
  /** Those before the first that was fulfilled passed before the service had started. */
  const expectNoneMissed = (tasks: readonly ShownTask[]) => {
    const first = tasks.findIndex(({ state }) => state === 'fulfilled');
    expect(tasks.slice(first).filter(({ state }) => state === 'missed')).to.deep.equal([]);
  };
  const linesOf = ({ log }: SpawnedProgram) => log.map((line) => line['clock']).filter(Boolean);

  it('goes on without a jump of a day, and says so, until the clock is back', async () => {
    using clock = new FakedClock();
    await using world = await ServiceWorld.create('sqlite', clock.environment);
    const template = await addTemplate(world);
    const { service, url } = await world.startService();
    await fulfilled(world, template, 2);
    clock.set(day);
    const { reason } = await eventually('it is not ready', async () => {
      const found = await readiness(url);
      return found.status === 503 && found;
    });
    expect(reason).to.match(
      /^The clock of the store is \d+ s ahead since .*Z\. If the time is right, confirm it with: /,
    );
    await fulfilled(world, template, 2);
    clock.set(0);
    await eventually('it is ready', async () => (await readiness(url)).status === 200);
    await fulfilled(world, template, 2);
    const tasks = await world.tasks(template);
    expectWindowsWithoutGap(tasks);
    expectNoneMissed(tasks);
    expect(linesOf(service)).to.deep.equal(['held', 'gone_back']);
    expect(service.log.filter(({ msg }) => /lease|worker died/.test(String(msg)))).to.deep.equal([]);
  });

  it('follows a jump that an operator confirms, and runs what lies ahead in its time when the clock is set back', async () => {
    using clock = new FakedClock();
    await using world = await ServiceWorld.create('sqlite', clock.environment);
    const template = await addTemplate(world);
    const { service, url } = await world.startService();
    await fulfilled(world, template, 1);
    clock.set(halfAnHour);
    await eventually('it is not ready', async () => (await readiness(url)).status === 503);
    const confirmation = new SpawnedProgram(['clock:confirm'], world.cli);
    expect(await confirmation.ended).to.equal(0);
    expect(confirmation.out).to.match(
      /confirmed at \S+ \S+ that the clock of the store, which was \d+ s ahead, is right\.\n$/,
    );
    await eventually('it is ready', async () => (await readiness(url)).status === 200);
    await fulfilled(world, template, 1);
    const missed = async () => (await world.tasks(template)).filter(({ state }) => state === 'missed').length;
    await eventually('the windows in between are missed', async () => (await missed()) > 300);
    clock.set(0);
    await eventually('it was set back', () => linesOf(service).includes('set_back'));
    expect((await readiness(url)).status).to.equal(200);
    expect((await readiness(url)).reason).to.match(/^The clock of the store was set back by \d+ s to /);
    await fulfilled(world, template, 2);
    const past = (await world.tasks(template)).filter((task) => Date.parse(task.window_start) <= Date.now());
    expectWindowsWithoutGap(past);
    // The confirmation is in the log of the command.
    expect(linesOf(service)).to.deep.equal(['held', 'set_back']);
  });

  it('goes by the time without the jump on every host, when it is the clock of PostgreSQL that jumps', async () => {
    using clock = new FakedClock();
    const postgres = new TestPostgres(clock.environment);
    try {
      await using world = await ServiceWorld.create('postgresql', {}, { server: await postgres.start() });
      const template = await addTemplate(world);
      const hosts = await Promise.all([world.startService(), world.startService()]);
      await fulfilled(world, template, 2);
      clock.set(day);
      for (const { url } of hosts)
        await eventually('it is not ready', async () => (await readiness(url)).status === 503);
      await fulfilled(world, template, 2);
      clock.set(0);
      for (const { url } of hosts) await eventually('it is ready', async () => (await readiness(url)).status === 200);
      await fulfilled(world, template, 2);
      const tasks = await world.tasks(template);
      expectWindowsWithoutGap(tasks);
      expectNoneMissed(tasks);
      expect(hosts.flatMap(({ service }) => linesOf(service))).to.have.members(['held', 'gone_back']);
      expect((await world.run('status')).workers).to.have.length(2);
    } finally {
      await postgres.close();
    }
  });
});
