import { expect } from 'chai';
import { Schedule } from '#core/template/schedule';
import { SchedulingWorld } from '../../support/worlds/scheduling-world.ts';

const minute = 60_000;
const five = Date.UTC(2026, 10, 21, 5);

describe('The scheduler after an outage of a thousand minutes', () => {
  let world: SchedulingWorld;

  beforeEach(() => {
    world = new SchedulingWorld();
  });

  const outage = async (given: Parameters<typeof world.template>[0]): Promise<number> => {
    const { id } = await world.template({ interval: 'minutely', ...given });
    await world.time.pass(1000 * minute + 30_000);
    return id;
  };

  const scheduleOf = async (id: number) =>
    (await world.audited.read((tables) => tables.of(Schedule).find({ where: [['runtemplate_id', '=', id]] })))[0];

  for (const [catch_up, states] of [
    ['none', '1000 missed, 1 open'],
    ['latest', '999 missed, 1 open caught up, 1 open'],
    ['all', '1000 open caught up, 1 open'],
  ] as const)
    it(`schedules the current window first and the passed ones in batches, with catch_up ${catch_up}`, async () => {
      const id = await outage({ catch_up });
      await world.scheduler.tick();
      expect(await world.taskStates()).to.equal('1 open');
      expect((await world.allJobs()).map((job) => [job.trigger, job.scheduled_at])).to.deep.equal([
        ['schedule', five + 1000 * minute],
      ]);
      await world.scheduler.tick();
      expect(await world.allTasks()).to.have.lengthOf(101);
      await world.schedule();
      expect(await world.taskStates()).to.equal(states);
      expect(await scheduleOf(id)).to.deep.include({ backlog: null, next_window: five + 1001 * minute });
    });

  it('schedules a window that begins while passed ones are still unscheduled', async () => {
    const id = await outage({ catch_up: 'none' });
    await world.scheduler.tick();
    await world.time.pass(30_000);
    await world.scheduler.tick();
    expect(await world.taskStates()).to.equal('100 missed, 2 open');
    expect(await scheduleOf(id)).to.deep.include({ next_window: five + 1002 * minute });
  });

  it('schedules no passed window that starts after the template ended', async () => {
    const id = await outage({ catch_up: 'latest', ends_at: five + 600 * minute });
    await world.schedule();
    expect(await world.taskStates()).to.equal('599 missed, 1 open caught up');
    expect(await scheduleOf(id)).to.deep.include({ backlog: null, next_at: null });
  });

  it('loses no window when a second outage begins before the windows of the first are scheduled', async () => {
    await outage({ catch_up: 'none' });
    await world.scheduler.tick();
    await world.time.pass(1000 * minute);
    await world.schedule();
    expect(await world.taskStates()).to.equal('2000 missed, 1 open');
  });
});
