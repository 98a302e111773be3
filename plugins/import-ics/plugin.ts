import { definePlugin } from '@horarium/core/plugin';
import { calendarImporter } from './calendar-importer.ts';

/** Imports calendars from iCalendar files, as calendar programs export them. */
export default definePlugin({ name: 'import-ics', api: 1, importers: [calendarImporter] });
