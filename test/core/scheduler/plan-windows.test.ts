import { RunTemplate } from '@horarium/core';
import { expect } from 'chai';
import { planWindows, type TemplatePlan } from '#core/scheduler/plan-windows';
import { newRow } from '#core/store/table';
import type { Backlog } from '#core/template/schedule';

const minute = 60_000;
const five = Date.UTC(2026, 10, 21, 5);
const row = newRow(RunTemplate, { name: 't', company_id: 1, interval: 'minutely', timezone: 'UTC' });
const template = { ...row, id: 1, daysOff: null };

/** Plans the windows again and again, while nothing of the backlog is written. */
function planAt(times: readonly number[], templates = times.map(() => template)): TemplatePlan {
  let plan: TemplatePlan = { current: null, backlog: [], next: five };
  for (const [index, now] of times.entries()) {
    const schedule = { next_window: plan.next, next_at: plan.next, backlog: [...plan.backlog] };
    plan = planWindows(templates[index] ?? template, schedule, now);
  }
  return plan;
}

const ranges = (backlog: readonly Backlog[]) =>
  backlog.map(({ next, spec }) => [(next - five) / minute, ((spec.ends_at ?? 0) - five) / minute]);

describe('The windows of a template that are planned', () => {
  it('are the current one, and those that passed as a backlog', () => {
    const { current, backlog, next } = planAt([five + 3.5 * minute]);
    expect(current).to.deep.equal({ start: five + 3 * minute, end: five + 4 * minute });
    expect(next).to.equal(five + 4 * minute);
    expect(ranges(backlog)).to.deep.equal([[0, 3]]);
  });

  it('become one backlog, however often some pass before it is written', () => {
    const ticks = Array.from({ length: 50 }, (_, tick) => five + (2 * tick + 1.5) * minute);
    expect(ranges(planAt(ticks).backlog)).to.deep.equal([[0, 99]]);
  });

  it('become a backlog of their own once the template was changed, whose limits they have', () => {
    const ticks = [five + 1.5 * minute, five + 3.5 * minute];
    const { backlog } = planAt(ticks, [template, { ...template, max_attempts: 5 }]);
    expect(ranges(backlog)).to.deep.equal([
      [0, 1],
      [2, 3],
    ]);
  });
});
