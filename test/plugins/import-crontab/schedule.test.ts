import { expect } from 'chai';
import fc from 'fast-check';
import { cronOf } from '#core/time/cron';
import { readSchedule } from '../../../plugins/import-crontab/lines/schedule.ts';

const read = (text: string) => readSchedule(text.split(' '));

describe('readSchedule', () => {
  const unchanged = [
    '* * * * *',
    '09,39 * * * *',
    '5-55/10 0-23/2 1,15 jan,MAR-may mon-fri,7',
    '0 0 29 2 *',
    '@daily',
    '@hourly',
  ];
  for (const text of unchanged) it(`leaves ${text} unchanged`, () => expect(read(text)).to.equal(text));

  const translated: [text: string, cron: string][] = [
    ['@midnight', '@daily'],
    ['@annually', '@yearly'],
    ['*/90 3-9/25 * * *', '0 3 * * *'],
    ['7-7/2 * * * sun-sun', '7 * * * 0'],
    ['0 0 */2 * 1', '0 0 */2 * +1'],
    ['0 0 1 * */2', '0 0 1 * +*/2'],
    ['0 0 */2 * *', '0 0 */2 * *'],
    ['0 0 1 * 1', '0 0 1 * 1'],
  ];
  for (const [text, cron] of translated) it(`reads ${text} as ${cron}`, () => expect(read(text)).to.equal(cron));

  const invalid: [text: string, message: string][] = [
    ['60 * * * *', 'the minute “60” is wrong: 60 is not between 0 and 59'],
    ['* 24 * * *', 'the hour “24” is wrong: 24 is not between 0 and 23'],
    ['* * 0 * *', 'the day of month “0” is wrong: 0 is not between 1 and 31'],
    ['* * * 13 *', 'the month “13” is wrong: 13 is not between 1 and 12'],
    ['* * * * 8', 'the day of week “8” is wrong: 8 is not between 0 and 7'],
    ['* * * * sunday', 'sunday is neither a number nor one of sun, mon, tue, wed, thu, fri, sat'],
    ['jan * * * *', 'jan is not a number'],
    ['5-1 * * * *', 'the range 5-1 runs backwards'],
    ['* * * * sat-sun', 'the range sat-sun runs backwards'],
    ['5/10 * * * *', 'a step needs * or a range before it, unlike in 5/10'],
    ['*/0 * * * *', 'the step of */0 must be a number above 0'],
    ['* * * * */mon', 'the step of */mon must be a number above 0'],
    ['1,,2 * * * *', '“” is neither *, a number, a range nor one of these with a step'],
    ['-*/5 * * * *', '“-*/5” is neither'],
    ['? * * * *', '“?” is neither'],
    ['* * L * *', 'L is not a number'],
    ['* * 1W * *', '1W is not a number'],
    ['* * * * 1#2', '“1#2” is neither'],
    ['0 0 30 2 *', '“0 0 30 2 *” is a day that never comes'],
    ['0 0 31 2,4,6,9,11 *', 'is a day that never comes'],
    ['@fortnightly', 'there is no “@fortnightly”'],
    ['@Daily', 'there is no “@Daily”'],
    ['@toString', 'there is no “@toString”'],
    [`${'1,'.repeat(200)}1 * * * *`, 'the time fields are too long'],
  ];
  for (const [text, message] of invalid)
    it(`rejects ${text.slice(0, 30)}`, () => expect(() => read(text)).to.throw(message));

  it('matches the times at which cron(8) runs a job', () => {
    const samples = [
      fieldSample(0, 59),
      fieldSample(0, 23),
      fieldSample(1, 31),
      fieldSample(1, 12, months),
      fieldSample(0, 7, weekdays),
    ] as const;
    fc.assert(
      fc.property(...samples, fc.nat(400 * 24 * 60), (minute, hour, day, month, weekday, start) => {
        const fields = [minute, hour, day, month, weekday];
        const text = fields.map((field) => field.text);
        const expected = (at: Date) => runsInCron(fields, at);
        let cron: string;
        try {
          cron = readSchedule(text);
        } catch (error) {
          expect((error as Error).message).to.match(/never comes|too long/);
          return;
        }
        for (let step = 0; step < 60; step += 1) {
          // Steps of 11 hours and 13 minutes come by every minute, hour and weekday.
          const at = Date.UTC(2027, 0, 1) + (start + step * 673) * 60_000;
          expect(cronOf(cron).matchAtOrAfter(at) === at, `${text.join(' ')} as ${cron}`).to.equal(
            expected(new Date(at)),
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface FieldSample {
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

/** Generates one field of a cron expression, together with the numbers that it matches. */
function fieldSample(low: number, high: number, names: readonly string[] = []): fc.Arbitrary<FieldSample> {
  const number = fc.integer({ min: low, max: high });
  const wordOf = (value: number, named: boolean) => (named ? (names[value - low] ?? String(value)) : String(value));
  const all = fc.constant({ text: '*', first: low, last: high });
  const one = fc
    .tuple(number, fc.boolean())
    .map(([first, named]) => ({ text: wordOf(first, named), first, last: first }));
  const range = fc.tuple(number, number, fc.boolean(), fc.boolean()).map(([a, b, ...named]) => {
    const [first, last] = a < b ? [a, b] : [b, a];
    return { text: `${wordOf(first, named[0])}-${wordOf(last, named[1])}`, first, last };
  });
  const stepped = fc
    .tuple(fc.oneof(all, range), fc.integer({ min: 1, max: 100 }))
    .map(([each, step]) => ({ ...each, text: `${each.text}/${step}`, step }));
  const item = fc.oneof(all, one, range, stepped);
  const list = fc.oneof(
    { weight: 2, arbitrary: fc.constant([{ text: '*', first: low, last: high }]) },
    fc.array(item, { minLength: 1, maxLength: 3 }),
  );
  return list.map((items) => ({
    text: items.map((each) => each.text).join(','),
    values: new Set(items.flatMap((each) => numbers(each.first, each.last, 'step' in each ? each.step : 1))),
  }));
}

function numbers(first: number, last: number, step: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

/** The rule of cron(8): a day field that begins with * does not add days but only narrows the other down. */
function runsInCron([minute, hour, day, month, weekday]: readonly FieldSample[], at: Date): boolean {
  const matches = (field: FieldSample | undefined, value: number) => field?.values.has(value) === true;
  const onDay = matches(day, at.getUTCDate());
  const onWeekday = matches(weekday, at.getUTCDay()) || (at.getUTCDay() === 0 && matches(weekday, 7));
  const isNarrowed = day?.text.startsWith('*') || weekday?.text.startsWith('*');
  return (
    matches(minute, at.getUTCMinutes()) &&
    matches(hour, at.getUTCHours()) &&
    matches(month, at.getUTCMonth() + 1) &&
    (isNarrowed ? onDay && onWeekday : onDay || onWeekday)
  );
}
