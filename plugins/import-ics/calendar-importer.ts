import {
  Calendar,
  type CalendarRow,
  defineImporter,
  HorariumError,
  type ImportPlan,
  ref,
  type TextFile,
  text,
} from '@horarium/core/plugin';
import { type IcsDays, readIcs } from './read-ics.ts';

/** The rule that recurring events become. */
const recurrence = 'rrule';

/** Imports iCalendar files: their events of whole days become the days off of one calendar. */
export const calendarImporter = defineImporter({
  name: 'calendar',
  summary: 'Create or update a calendar from iCalendar files. Their events of whole days are its days off.',
  filesHelp: 'iCalendar files (.ics), or - for standard input; if any cannot be read, nothing is imported',
  options: {
    code: text(64, {
      description: 'code of the calendar; one that exists gets these dates and recurrences in place of its own',
    }).required(),
    name: text(255, { description: 'name of the calendar; that in the first file, or the code, if it is left out' }),
    company: ref('Company', { description: 'the company that it belongs to; all companies if it is left out' }),
  },
  read(files, { code, name, company }): ImportPlan<[CalendarRow]> {
    const read = readAll(files);
    const dates = read.flatMap((each) => each.dates);
    const rules = read.flatMap((each) => each.rules.map((rule) => ({ rule: recurrence, ...rule })));
    const called = name ?? read.find((each) => each.name !== null)?.name ?? code;
    const fields = { code, name: called, dates, rules };
    return {
      entries: [
        {
          origin: files.map((file) => file.name).join(', '),
          records: [
            {
              resource: Calendar,
              fields: { ...fields, company_id: company },
              // What the files do not say stays: weekdays, days of work, and rules of other kinds.
              merge: (stored) => ({
                id: stored.id,
                name: name ?? stored.name,
                rules: [...stored.rules.filter(({ rule }) => rule !== recurrence), ...rules],
              }),
            },
          ],
          tableRow: ([{ row }], dryRun) => ({
            ...(!dryRun && { id: row.id }),
            code,
            name: row.name,
            dates: dates.length,
            recurrences: rules.length,
          }),
        },
      ],
      notes: read.flatMap((each) => each.notes),
    };
  },
});

/** @throws HorariumError `invalid` naming every file that cannot be read, and why. */
function readAll(files: readonly TextFile[]): IcsDays[] {
  const problems: string[] = [];
  const read = files.flatMap(({ name, text }) => {
    try {
      return [readIcs(name, text)];
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      return [];
    }
  });
  if (problems.length > 0) throw new HorariumError('invalid', [...problems, 'Nothing was imported.'].join('\n'));
  return read;
}
