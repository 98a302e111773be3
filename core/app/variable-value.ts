import { email } from '../field/web-fields.ts';
import { choicesOf, type Variable, type variableTypes } from './declarations.ts';

/** The check of each type of variable, and the name of its values, which completes "must be …". */
const types: Readonly<
  Partial<Record<(typeof variableTypes)[number], { readonly name: string; matches(value: string): boolean }>>
> = {
  'file-path': { name: 'a path of one line', matches: (value) => !/[\0\r\n]/.test(value) },
  email: { name: 'an e-mail address', matches: (value) => email().isValidSync(value) },
  url: { name: 'an absolute URL', matches: (value) => /^[a-z][a-z\d+.-]*:\S+$/i.test(value) && URL.canParse(value) },
  integer: { name: 'a whole number', matches: (value) => /^[+-]?\d+$/.test(value) },
  float: { name: 'a number', matches: (value) => /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(value) },
  bool: { name: 'true or false', matches: (value) => /^(?:true|false|yes|no|on|off|1|0)$/i.test(value) },
};

/**
 * Checks a value of an environment variable against the type that its App declares. An empty text is not a value, and fits
 * any type.
 * @returns the end of a sentence, "must be a whole number", that never repeats the value; null where it fits.
 */
export function checkVariable({ type, options }: Variable, value: string): string | null {
  if (value === '') return null;
  if (type === 'set') {
    const choices = choicesOf(options);
    return choices.length === 0 || choices.includes(value) ? null : `must be one of ${listed(choices)}`;
  }
  const expected = types[type ?? 'string'];
  return !expected || expected.matches(value) ? null : `must be ${expected.name}`;
}

const maxListed = 20;
const maxListedLength = 1000;

/** Lists choices in few words, however many there are: many values may be wrong at once. */
function listed(choices: readonly string[]): string {
  const text = choices.slice(0, maxListed).join(', ');
  if (choices.length <= maxListed && text.length <= maxListedLength) return text;
  return `${text.slice(0, maxListedLength)} … (${choices.length} in all)`;
}
