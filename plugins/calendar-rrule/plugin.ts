import { definePlugin } from '@horarium/core/plugin';
import { recurrenceRule } from './recurrence-rule.ts';

/** Days off by recurrence rules of iCalendar (RFC 5545). */
export default definePlugin({ name: 'calendar-rrule', api: 1, calendarRules: [recurrenceRule] });
