import { count, defineCalendarRule, definePlugin, texts } from '@horarium/core/plugin';

const dayLength = 86_400_000;
const quarters = ['1', '2', '3', '4'];

/** Days off at the end of each quarter, in which nothing is changed. */
export default definePlugin({
  name: 'calendar-quarter-end',
  api: 1,
  calendarRules: [
    defineCalendarRule({
      name: 'quarter-end',
      options: {
        days: count(5, { description: 'How many days at the end of a quarter are off.' }).min(1).max(31),
        quarters: texts(1, { description: 'Only these quarters: 1 to 4; all if it is left out.' }),
      },
      refuse({ quarters: given }) {
        const wrong = given.find((quarter) => !quarters.includes(quarter));
        return wrong === undefined ? null : `has the quarter ${wrong}: there are ${quarters.join(', ')}`;
      },
      daysOff({ days, quarters: given }, year) {
        const wanted = given.length > 0 ? given : quarters;
        return wanted.flatMap((quarter) => {
          const last = Date.UTC(year, Number(quarter) * 3, 0);
          return Array.from({ length: days }, (_, index) => ({
            date: new Date(last - index * dayLength).toISOString().slice(0, 10),
            name: `end of quarter ${quarter}`,
          }));
        });
      },
    }),
  ],
});
