import { didYouMean } from '../registry/did-you-mean.ts';
import { intervals } from './interval.ts';

/** The fields of a pattern, with their values for people. The first one may be left out. */
const fields = [
  ['second', '0 to 59'],
  ['minute', '0 to 59'],
  ['hour', '0 to 23'],
  ['day of the month', '1 to 31 or L (the last day)'],
  ['month', '1 to 12 or JAN to DEC'],
  ['day of the week', '0 to 7 (0 and 7 are Sunday) or SUN to SAT'],
] as const;

const nicknames = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/**
 * Says what is wrong with a text that is no cron pattern, as the end of a sentence.
 * @param isPattern whether a text is a pattern.
 */
export function cronProblem(text: string, isPattern: (text: string) => boolean): string {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  if (first.startsWith('@')) return `the nicknames are ${nicknames.join(', ')}.${didYouMean(first, nicknames)}`;
  if (words.length !== 5 && words.length !== 6) {
    const names = fields.slice(1).map(([name]) => name);
    const named = intervals.filter((interval) => interval !== 'none' && interval !== 'custom');
    const interval = words.length === 1 ? ` The intervals are ${named.join(', ')}.${didYouMean(first, named)}` : '';
    const count = `it has ${words.length} ${words.length === 1 ? 'field' : 'fields'}`;
    return `${count}; a pattern has five (${names.join(', ')}), or six with the second first.${interval}`;
  }
  const shown = fields.slice(-words.length);
  const wrong = words.findIndex((word, index) => {
    const alone = words.map((_, other) => (other === index ? word : '*'));
    return !isPattern(alone.join(' '));
  });
  const [name, values] = shown[wrong] ?? [];
  if (name === undefined) return 'its fields do not go together.';
  return `the ${name} cannot be “${words[wrong]}”. It takes ${values}, alone or in a list (1,3), a range (1-5) or a step (*/2).`;
}
