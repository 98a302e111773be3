import { defineFixtures } from '@horarium/core/contracts';

export default defineFixtures({
  calendarRules: {
    'quarter-end': { options: { days: 3 }, year: 2026, refused: [{ days: 3, quarters: ['5'] }] },
  },
});
