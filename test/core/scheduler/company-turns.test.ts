import { type RunTemplateRow, Task, type TaskRow } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { SchedulingWorld } from '../../support/worlds/scheduling-world.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('The scheduler of two companies', () => {
  let world: SchedulingWorld;
  let quiet: number;

  beforeEach(async () => {
    world = new SchedulingWorld();
    await world.template({ interval: 'none' });
    quiet = await world.company('quiet');
  });

  /** Creates templates of the busy company. */
  async function templates(count: number, given: Partial<RunTemplateRow>): Promise<void> {
    for (let made = 0; made < count; made += 1) await world.template(given);
  }

  async function tasksOf(template: RunTemplateRow): Promise<TaskRow[]> {
    return (await world.allTasks()).filter((task) => task.runtemplate_id === template.id);
  }

  it('schedules the window of one in the next tick, however many windows of the other begin with it', async () => {
    await templates(600, { interval: 'hourly' });
    const own = await world.template({ interval: 'hourly', company_id: quiet });
    await world.time.pass(hour);
    await world.scheduler.tick();
    const isCurrent = (task: TaskRow) => task.window_start === world.time.now;
    expect((await tasksOf(own)).filter(isCurrent)).to.have.length(1);
    expect(await world.allTasks()).to.have.length.at.most(200);
    await world.schedule();
    expect((await world.allTasks()).filter(isCurrent)).to.have.length(601);
  });

  it('schedules the current window of one before the windows of the other that passed in an outage', async () => {
    await templates(30, { interval: 'minutely', catch_up: 'all' });
    const own = await world.template({ interval: 'minutely', company_id: quiet });
    await world.time.pass(100 * minute);
    await world.scheduler.tick();
    const [current] = (await tasksOf(own)).filter((task) => task.window_start === world.time.now);
    expect(current).to.deep.include({ state: 'open', caught_up: false });
    expect(await world.allTasks()).to.have.length.at.most(31 + 300);
  });

  it('writes what passed of the one soon, although the other has a larger backlog', async () => {
    await templates(30, { interval: 'minutely', catch_up: 'none' });
    const own = await world.template({ interval: 'minutely', catch_up: 'latest', company_id: quiet });
    await world.time.pass(90 * minute);
    await world.scheduler.tick();
    await world.scheduler.tick();
    expect((await tasksOf(own)).filter((task) => task.state === 'missed')).to.have.length(89);
  });

  it('ends the Task of one whose start deadline passed, however many of the other did before', async () => {
    const busy = await world.template({ interval: 'none' });
    const own = await world.template({ interval: 'none', company_id: quiet });
    const passed = world.time.now - hour;
    const expired = ({ id, company_id }: RunTemplateRow, at: number) => {
      const window = { window_start: at, window_end: at + 1, deadline: at, start_deadline: at };
      return newRow(Task, { runtemplate_id: id, company_id, ...window });
    };
    const rows = [
      ...Array.from({ length: 600 }, (_, index) => expired(busy, passed + index)),
      expired(own, passed + 700),
    ];
    await world.audited.transaction(world.actor, (tables) => tables.of(Task).insert(rows));
    await world.scheduler.tick();
    expect((await tasksOf(own)).map(({ state }) => state)).to.deep.equal(['missed']);
  });
});
