import { type PreviewRange, RunTemplate, type RunTemplateRow } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { preview } from '#core/template/preview';

const hour = 3_600_000;
const midnight = Date.UTC(2026, 10, 22);

/** Returns the hours after midnight at which the listed windows of an hourly template start. */
function startHours(fields: Partial<RunTemplateRow>, range: Partial<PreviewRange>): number[] {
  const row = {
    ...newRow(RunTemplate, { name: 't', interval: 'hourly', timezone: 'UTC', ...fields }),
    id: 1,
    daysOff: null,
  };
  const windows = preview(row, { from: midnight, to: null, limit: 3, ...range });
  return windows.map(({ start }) => (start - midnight) / hour);
}

describe('The preview of a template', () => {
  it('lists the windows that start at or after an instant, up to the limit', () => {
    expect(startHours({}, {})).to.deep.equal([0, 1, 2]);
    expect(startHours({}, { from: midnight + 1 })).to.deep.equal([1, 2, 3]);
  });

  it('includes a window that starts at the last instant of its range', () => {
    expect(startHours({}, { to: midnight + hour })).to.deep.equal([0, 1]);
    expect(startHours({}, { to: midnight + hour - 1 })).to.deep.equal([0]);
  });

  it('lists only windows between starts_at and ends_at', () => {
    const bounds = { starts_at: midnight + hour, ends_at: midnight + 3 * hour };
    expect(startHours(bounds, { limit: 100 })).to.deep.equal([1, 2]);
  });

  it('lists the windows of an inactive template too', () => {
    expect(startHours({ active: false }, {})).to.deep.equal([0, 1, 2]);
  });

  it('lists nothing with the interval none', () => {
    expect(startHours({ interval: 'none' }, {})).to.deep.equal([]);
  });

  it('gives each window its due time and its deadline', () => {
    const row = newRow(RunTemplate, { name: 't', interval: 'hourly', timezone: 'UTC', delay: 600, deadline: '+30m' });
    expect(preview({ ...row, id: 1, daysOff: null }, { from: midnight, to: null, limit: 1 })).to.deep.equal([
      { start: midnight, end: midnight + hour, due: midnight + hour / 6, deadline: midnight + hour / 2, note: null },
    ]);
  });
});
