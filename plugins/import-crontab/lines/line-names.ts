import { baseNameOf } from './crontab-records.ts';

/** What the records of a line are named after. */
export interface NamedLine {
  /** The name of the file, for people. */
  readonly file: string;
  readonly schedule: string;
  readonly command: string;
}

/**
 * Names lines by their commands, as people would; where that is the name of another line or template, with what distinguishes them:
 * the schedule, the file or a number.
 * @param others the names of other templates, with their schedules.
 */
export function nameLines<L extends NamedLine>(
  lines: readonly L[],
  others: ReadonlyMap<string, string>,
): ReadonlyMap<L, string> {
  const names = new Map<L, string>();
  const taken = new Set(others.keys());
  // A name beside which another one has a schedule, a file or a number would not say which of them it is.
  const distinguished = new Set([...others.keys()].map((name) => name.replace(/ \([^()]*\)$/, '')));
  const hasSameTimes = (line: L) => others.get(commandName(line)) === line.schedule;
  let unnamed = lines;
  for (const nameOf of [commandName, scheduleName, fileName]) {
    const alike = Map.groupBy(unnamed, nameOf);
    unnamed = unnamed.filter((line) => {
      const name = nameOf(line);
      const isShared = nameOf === commandName ? distinguished.has(name) : nameOf === scheduleName && hasSameTimes(line);
      if (alike.get(name)?.length !== 1 || taken.has(name) || isShared) return true;
      names.set(line, name);
      return false;
    });
    for (const name of names.values()) taken.add(name);
  }
  const numbers = new Map<string, number>();
  for (const line of unnamed) {
    const base = commandName(line);
    let number = numbers.get(base) ?? 1;
    while (taken.has(numbered(base, number))) number += 1;
    names.set(line, numbered(base, number));
    numbers.set(base, number + 1);
  }
  return names;
}

/** Whether a record of a line has a name that was made of what has changed of the line, and not by a person. */
export function isNameOfEdited(name: string, was: NamedLine, is: NamedLine): boolean {
  const isFormer = name.startsWith(formerPrefix(was.file));
  const isMade = isFormer || [commandName, scheduleName, fileName].some((nameOf) => nameOf(was) === name);
  const base = commandName(was);
  const isNumbered = name.startsWith(base) && /^ \(\d+\)$/.test(name.slice(base.length));
  if (!isMade && !isNumbered) return false;
  const hasSchedule = isFormer ? endsWithSchedule.test(name) : name === scheduleName(was);
  return was.command !== is.command || (hasSchedule && was.schedule !== is.schedule);
}

/** Earlier versions named lines by file, command and schedule, and their Apps by file and command. */
function formerPrefix(file: string): string {
  return `${shorten(baseNameOf(file), 40)}: `;
}

const endsWithSchedule = / \((?:@\w+|[^\s()]+(?: [^\s()]+){4,6})\)$/;

function commandName({ command }: NamedLine): string {
  return shorten(command, 80) || 'job';
}

function scheduleName(line: NamedLine): string {
  return `${commandName(line)} (${shorten(line.schedule, 60)})`;
}

function fileName(line: NamedLine): string {
  return `${commandName(line)} (${shorten(baseNameOf(line.file), 40)})`;
}

function numbered(base: string, number: number): string {
  return number === 1 ? base : `${base} (${number})`;
}

/** One line of at most so many characters. */
function shorten(text: string, max: number): string {
  const line = [...text.replace(/[\s\p{Cc}]+/gu, ' ').trim()];
  return line.length <= max ? line.join('') : `${line.slice(0, max - 1).join('')}…`;
}
