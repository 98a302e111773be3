import { expect } from 'chai';
import fc from 'fast-check';
import {
  type ClockReading,
  outcomeOfStep,
  type RecordedReading,
  stepBetween,
  stepSince,
  stepTolerance,
} from '#core/service-time/clock-step';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const noon = Date.UTC(2026, 10, 21, 12);

const reading = (shown: number, elapsed: number, uptime = elapsed, took = 0): ClockReading => ({
  shown: noon + shown,
  elapsed,
  uptime,
  took,
});

describe('A step of the store’s clock', () => {
  const start = reading(0, 0);

  /** Each row: what happened, the later reading, and the step that it shows. */
  const table: readonly (readonly [what: string, after: ClockReading, step: number])[] = [
    ['the time that passed', reading(hour, hour), 0],
    ['a correction of a minute ahead', reading(hour + minute, hour), 0],
    ['a correction of a minute back', reading(hour - minute, hour), 0],
    ['a jump ahead of more than a minute', reading(hour + minute + 1, hour), minute + 1],
    ['a jump ahead of a day', reading(day + second, second), day],
    ['a clock that was set back by an hour', reading(second - hour, second), -hour],
    ['a suspended machine', reading(8 * hour, second, 8 * hour), 0],
    ['a jump ahead while the machine was suspended', reading(day + 8 * hour, second, 8 * hour), day],
    ['a clock that was set back while the machine was suspended', reading(-hour, second, 8 * hour), -9 * hour],
    ['a clock that stood still while the machine was suspended', reading(second, second, 8 * hour), 0],
    ['a store that took two minutes to answer', reading(0, 2 * minute, 2 * minute, 2 * minute), 0],
    ['a paused virtual machine, which no clock of it shows', reading(hour, second), hour - second],
  ];
  for (const [what, after, step] of table)
    it(`is ${step} ms after ${what}`, () => {
      expect(stepBetween(start, after)).to.equal(step);
    });

  it('is found whatever its size, the time that passed and the time that the store took, to within that time', () => {
    const span = fc.integer({ min: 0, max: 40 * day });
    const took = fc.integer({ min: 0, max: 30 * second });
    fc.assert(
      fc.property(span, span, took, fc.integer({ min: -40 * day, max: 40 * day }), (awake, asleep, took, step) => {
        const uptime = awake + asleep + took;
        const after = reading(awake + asleep + Math.floor(took / 2) + step, awake + took, uptime, took);
        const found = stepBetween(start, after);
        const isFound = Math.abs(found - step) <= took;
        const limit = stepTolerance + 2 * took;
        if (Math.abs(step) <= stepTolerance) return found === 0;
        // A step that makes up for the suspension shows no other time than the monotonic clock.
        return isFound || (found === 0 && (Math.abs(step) <= limit || Math.abs(asleep + step) <= limit));
      }),
    );
  });
});

describe('A step while no process watched the clock', () => {
  const recorded: RecordedReading = { shown: noon, uptime: hour, boot: 'a' };

  /** Each row: what happened, the reading after it, how far the clock was ahead before, and the step. */
  const table: readonly (readonly [what: string, after: RecordedReading, held: number, step: number])[] = [
    ['downtime within a boot', { shown: noon + day, uptime: hour + day, boot: 'a' }, 0, 0],
    ['a jump ahead within a boot', { shown: noon + day, uptime: hour + minute, boot: 'a' }, 0, day - minute],
    ['a clock set back within a boot', { shown: noon - day, uptime: hour + minute, boot: 'a' }, 0, -day - minute],
    ['a later time after another boot', { shown: noon + day, uptime: minute, boot: 'b' }, 0, 0],
    ['a later time after unknown boots', { shown: noon + day, uptime: minute, boot: null }, 0, 0],
    ['an earlier time after another boot', { shown: noon - day, uptime: minute, boot: 'b' }, 0, -day],
    ['another boot while the clock was ahead', { shown: noon + hour, uptime: minute, boot: 'b' }, day, 0],
    ['another boot after which the clock was right', { shown: noon - day + hour, uptime: 0, boot: 'b' }, day, -day],
    [
      'another boot after which the clock was behind',
      { shown: noon - day - hour, uptime: 0, boot: 'b' },
      day,
      -day - hour,
    ],
  ];
  for (const [what, after, held, step] of table)
    it(`is ${step} ms after ${what}`, () => {
      expect(stepSince(recorded, after, held)).to.equal(step);
    });
});

describe('The outcome of a step', () => {
  /** Each row: how far the clock was ahead, the step, and what follows. */
  const table: readonly (readonly [held: number, step: number, outcome: ReturnType<typeof outcomeOfStep>])[] = [
    [0, day, { kind: 'held', held: day, shift: 0 }],
    [hour, day, { kind: 'held', held: day + hour, shift: 0 }],
    [day, -hour, { kind: 'held', held: day - hour, shift: 0 }],
    [day, -day, { kind: 'gone_back', held: 0, shift: 0 }],
    [day, -day - second, { kind: 'gone_back', held: 0, shift: -second }],
    [day, second - day, { kind: 'gone_back', held: 0, shift: second }],
    [day, -2 * day, { kind: 'set_back', held: 0, shift: -day }],
    [0, -hour, { kind: 'set_back', held: 0, shift: -hour }],
  ];
  for (const [held, step, outcome] of table)
    it(`of ${step} ms is ${outcome.kind} when the clock was ${held} ms ahead`, () => {
      expect(outcomeOfStep(held, step)).to.deep.equal(outcome);
    });

  it('moves the time of the service by no more than the clock itself, and never ahead by more than a correction', () => {
    const span = fc.integer({ min: -40 * day, max: 40 * day });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 * day }), span, (held, step) => {
        const outcome = outcomeOfStep(held, step);
        expect(outcome.held - held).to.equal(step - outcome.shift);
        expect(outcome.held).to.satisfy((ahead: number) => ahead === 0 || ahead > stepTolerance);
        expect(outcome.shift).to.be.at.most(stepTolerance);
      }),
    );
  });
});
