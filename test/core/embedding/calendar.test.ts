import { Calendar, defineCalendarRule, RunTemplate, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { EmbeddingWorld } from './embedding-world.ts';

const me = trustedActor('test');
const sunday = Date.UTC(2026, 10, 22);

/** A rule of the program itself, which takes off the day on which the world begins. */
const firstDay = defineCalendarRule({
  name: 'first-day',
  options: {},
  daysOff: (_, year) => (year === 2026 ? [{ date: '2026-11-21', name: 'moving house' }] : []),
});

describe('A calendar with a rule of the embedding program', () => {
  it('is followed by the scheduler, and by all that tells what runs next', async () => {
    const world = new EmbeddingWorld();
    const core = world.core({ calendarRules: new Map([['first-day', firstDay]]), timezone: 'UTC' });
    const calendar = await core.records(Calendar).save(me, { name: 'Ours', rules: [{ rule: 'first-day' }] });
    await core.every('minutely', 'count', () => undefined);
    await core.records(RunTemplate).save(me, { id: 1, timezone: 'UTC', calendar_id: calendar.id });
    await core.start();
    await world.time.pass(3 * 60_000);
    expect((await core.summary(me)).next?.at).to.equal(sunday);
    const { conditions } = await core.why(me, { kind: 'RunTemplate', id: 1 });
    expect(conditions.find(({ name }) => name === 'calendar')).to.include({ met: false });
    const [first] = await core.preview(me, 1, { from: world.time.now, to: null, limit: 1 });
    expect(first).to.include({ due: null, note: 'no Task: day off (moving house)' });
    for await (const { dueAt } of core.simulate(me, world.time.now, sunday + 60_000)) expect(dueAt).to.equal(sunday);
    await world.during(core.stop());
    expect((await core.tasks.list(me)).rows).to.deep.equal([]);
  });
});
