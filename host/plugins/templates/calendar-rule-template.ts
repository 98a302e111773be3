import type { PluginTemplate } from './plugin-template.ts';

/** A calendar rule that takes off the last days of each quarter. */
export const calendarRuleTemplate: PluginTemplate = {
  summary: (name) => `Days off of calendars by the rule ${name}: the last days of each quarter.`,

  plugin: (name) => `import { count, defineCalendarRule, definePlugin } from '@horarium/core/plugin';

const day = 86_400_000;

export default definePlugin({
  name: '${name}',
  api: 1,
  calendarRules: [
    defineCalendarRule({
      name: '${name}',
      options: { days: count(5, { description: 'How many days at the end of each quarter are off.' }).min(1).max(31) },
      // Called while windows are planned: it answers at once, and always the same.
      daysOff: ({ days }, year) =>
        [3, 6, 9, 12].flatMap((month) =>
          Array.from({ length: days }, (_, index) => ({
            date: new Date(Date.UTC(year, month, 0) - index * day).toISOString().slice(0, 10),
            name: 'end of the quarter',
          })),
        ),
    }),
  ],
});
`,

  fixtures: (name) => `import { defineFixtures } from '@horarium/core/contracts';

// refused: options that \`refuse\` of the rule refuses, if it has that method.
export default defineFixtures({ calendarRules: { '${name}': { options: { days: 3 }, year: 2026 } } });
`,

  use: (name) => [
    `npx horarium calendar:save --name 'No changes at the end of a quarter' --rules '[{"rule": "${name}", "days": 3}]'`,
  ],
};
