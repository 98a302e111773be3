import { definePlugin } from '@horarium/core/plugin';
import { holidayRule } from './holiday-rule.ts';

/** Days off by the public holidays of countries and their states. */
export default definePlugin({ name: 'calendar-holidays', api: 1, calendarRules: [holidayRule] });
