import { hasTopic } from '../handbook-help.ts';
import { guesses, nouns, verbs } from './guesses.ts';

/**
 * Answers a word that is no command: with the page of the handbook of that name, or with what does what was probably
 * meant. Null = nothing is known of it.
 * @param line the words of the command line: `logs 7`, `app list`.
 * @param commands the names of the commands.
 */
export async function answerUnknown(
  [word = '', next = '']: readonly string[],
  commands: readonly string[],
): Promise<string | null> {
  if (await hasTopic(word)) return `"horarium help ${word}" shows the page of the handbook on it.`;
  for (const name of [`${word}:${next}`, word]) {
    const answer = guesses.get(name) ?? recordCommand(name, commands);
    if (answer !== null) return answer;
  }
  return null;
}

/** Translates other words for a command of records, such as `templates:create`, or `jobs` alone for their list. */
function recordCommand(name: string, commands: readonly string[]): string | null {
  const [given = '', verb = 'list'] = name.toLowerCase().replaceAll('-', '_').split(':');
  const noun = given.replace(/ies$/, 'y').replace(/s$/, '');
  const operation = Object.keys(verbs).find((each) => verbs[each]?.includes(verb)) ?? verb;
  const command = `${nouns[noun] ?? noun}:${operation}`;
  return commands.includes(command) ? `(Did you mean ${command}?)` : null;
}
