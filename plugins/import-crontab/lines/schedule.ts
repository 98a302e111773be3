import { fits, RunTemplate, startAtOrAfter } from '@horarium/core/plugin';

interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The maximum step that croner accepts. */
  readonly maxStep: number;
  /** The names of its numbers from `min` on, three letters each. */
  readonly names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const fields: readonly CronField[] = [
  { name: 'minute', min: 0, max: 59, maxStep: 60, names: [] },
  { name: 'hour', min: 0, max: 23, maxStep: 24, names: [] },
  { name: 'day of month', min: 1, max: 31, maxStep: 31, names: [] },
  { name: 'month', min: 1, max: 12, maxStep: 12, names: months },
  { name: 'day of week', min: 0, max: 7, maxStep: 7, names: weekdays },
];

const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '@yearly',
  '@annually': '@yearly',
  '@monthly': '@monthly',
  '@weekly': '@weekly',
  '@daily': '@daily',
  '@midnight': '@daily',
  '@hourly': '@hourly',
};

/**
 * Translates the five time fields of a crontab, or a nickname, from the rules of cron(8) to a pattern for croner.
 * Three rules differ: in cron a day field that begins with `*`, even before a step, restricts the other day field
 * instead of adding to it (croner writes that `+`); a step may be longer than its field; and a range that ends with
 * `sun` ends with 0, where croner ends it with 7.
 * @throws Error that names the field and what is wrong with it.
 */
export function readSchedule(timeFields: readonly string[]): string {
  const [first] = timeFields as [string];
  const cron = first.startsWith('@') ? readNickname(first) : readFields(timeFields);
  if (!fits(RunTemplate, 'cron', cron)) throw new Error('the time fields are too long');
  if (startAtOrAfter({ interval: 'custom', cron, timezone: 'UTC' }, 0) === null)
    throw new Error(`“${timeFields.join(' ')}” is a day that never comes`);
  return cron;
}

function readNickname(name: string): string {
  if (!Object.hasOwn(nicknames, name)) throw new Error(`there is no “${name}”`);
  return nicknames[name] as string;
}

function readFields(timeFields: readonly string[]): string {
  const patterns = fields.map((field, index) => readList(timeFields[index] as string, field));
  const [, , day, , weekday] = timeFields as [string, string, string, string, string];
  const restricts = (day.startsWith('*') || weekday.startsWith('*')) && day !== '*' && weekday !== '*';
  return patterns.map((pattern, index) => (index === 4 && restricts ? `+${pattern}` : pattern)).join(' ');
}

function readList(list: string, field: CronField): string {
  return list
    .split(',')
    .map((range) => {
      try {
        return readRange(range, field);
      } catch (error) {
        throw new Error(`the ${field.name} “${list}” is wrong: ${(error as Error).message}`);
      }
    })
    .join(',');
}

function readRange(range: string, field: CronField): string {
  const [, star, from, to, step] = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\w+))?$/.exec(range) ?? [];
  if (star === undefined && from === undefined)
    throw new Error(`“${range}” is neither *, a number, a range nor one of these with a step`);
  const first = star ? field.min : readNumber(from as string, field);
  const last = to === undefined ? undefined : readNumber(to, field);
  if (last !== undefined && last < first) throw new Error(`the range ${range} runs backwards`);
  if (step !== undefined && !star && last === undefined)
    throw new Error(`a step needs * or a range before it, unlike in ${range}`);
  if (step !== undefined && !(/^\d+$/.test(step) && Number(step) > 0))
    throw new Error(`the step of ${range} must be a number above 0`);
  const isSingle = last === first || Number(step) > field.maxStep;
  return isSingle ? String(first) : range;
}

function readNumber(text: string, field: CronField): number {
  const name = field.names.indexOf(text.toLowerCase());
  if (name >= 0) return field.min + name;
  if (!/^\d+$/.test(text)) {
    const names = field.names.length > 0 ? ` nor one of ${field.names.join(', ')}` : '';
    throw new Error(`${text} is ${names ? 'neither' : 'not'} a number${names}`);
  }
  const number = Number(text);
  if (number < field.min || number > field.max) throw new Error(`${text} is not between ${field.min} and ${field.max}`);
  return number;
}
