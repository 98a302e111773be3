import { Schedule } from '@horarium/core';
import { expect } from 'chai';
import { SchedulingWorld } from '../../support/scheduling-world.ts';

const minute = 60_000;
const five = Date.UTC(2026, 10, 21, 5);

describe('An outage of a thousand minutes', () => {
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

  for (const [catch_up, ledger] of [
    ['none', '1000 missed, 1 open'],
    ['latest', '999 missed, 1 open caught up, 1 open'],
    ['all', '1000 open caught up, 1 open'],
  ] as const)
    it(`keeps the current window waiting for nothing, and is written in batches, under ${catch_up}`, async () => {
      const id = await outage({ catch_up });
      await world.scheduler.tick();
      expect(await world.ledger()).to.equal('1 open');
      expect((await world.allJobs()).map((job) => [job.trigger, job.scheduled_at])).to.deep.equal([
        ['schedule', five + 1000 * minute],
      ]);
      await world.scheduler.tick();
      expect(await world.allTasks()).to.have.lengthOf(201);
      await world.schedule();
      expect(await world.ledger()).to.equal(ledger);
      expect(await scheduleOf(id)).to.deep.include({ backlog: null, next_window: five + 1001 * minute });
    });

  it('that nobody has written down yet when a window begins does not hold that up', async () => {
    const id = await outage({ catch_up: 'none' });
    await world.scheduler.tick();
    await world.time.pass(30_000);
    await world.scheduler.tick();
    expect(await world.ledger()).to.equal('200 missed, 2 open');
    expect(await scheduleOf(id)).to.deep.include({ next_window: five + 1002 * minute });
  });

  it('is owed up to the end of the template', async () => {
    const id = await outage({ catch_up: 'latest', ends_at: five + 600 * minute });
    await world.schedule();
    expect(await world.ledger()).to.equal('599 missed, 1 open caught up');
    expect(await scheduleOf(id)).to.deep.include({ backlog: null, next_at: null });
  });

  it('that comes upon another one loses no window of either', async () => {
    await outage({ catch_up: 'none' });
    await world.scheduler.tick();
    await world.time.pass(1000 * minute);
    await world.schedule();
    expect(await world.ledger()).to.equal('2000 missed, 1 open');
  });
});
