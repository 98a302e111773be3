import { environmentKey } from '../../field/structured.ts';

export interface CrontabVariable {
  readonly name: string;
  readonly value: string;
}

// name = value, either of them in matching quotes; a quoted name may hold no =.
const setting =
  /^(?:(["'])(?<quoted>(?:(?!\1)[^=])*)\1|(?<bare>[^\s=]+))\s*=\s*(?:(["'])(?<text>(?:(?!\4).)*)\4\s*|(?<rest>[^\s"'].*))$/s;
const almost = /^(?:(["'])[^=]*?\1|[A-Za-z_]\w*)\s*=(?<value>.*)$/s;

/**
 * Reads a line that sets a variable, by the rules of crontab(5): blanks around `=` do not count, quotes keep blanks at
 * the ends and are the only way to say nothing, and nothing in the value is replaced.
 * @returns undefined when the line is none.
 * @throws Error that says what is wrong, when it was meant to be one.
 */
export function readVariable(line: string): CrontabVariable | undefined {
  const found = setting.exec(line)?.groups;
  if (!found) {
    const meant = almost.exec(line)?.groups?.['value']?.trim();
    if (meant === undefined) return undefined;
    throw new Error(meant === '' ? 'an empty value must be written ""' : 'the quotes around the value do not match');
  }
  const name = (found['quoted'] ?? found['bare']) as string;
  if (!environmentKey.pattern.test(name)) throw new Error(`“${name}” is not ${environmentKey.words}`);
  return { name, value: found['text'] ?? (found['rest'] as string).trimEnd() };
}
