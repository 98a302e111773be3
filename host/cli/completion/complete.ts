import type { Argument, Command, Option } from 'commander';
import { commandsByKind } from '../help/kind-help.ts';
import { offerOf } from './offers.ts';
import type { TypedLine } from './split-words.ts';

/** A word that may stand at the cursor, and what it means. */
export interface Candidate {
  readonly word: string;
  readonly meaning: string;
}

/** What may stand at the cursor. */
export interface Completion {
  /** The words, each with the typed text as its prefix. */
  readonly candidates: readonly Candidate[];
  /** Whether the name of a file may stand there too. */
  readonly files: boolean;
}

const none: Completion = { candidates: [], files: false };

/**
 * Completes the word at the cursor of a command line.
 * @param topics the pages of the handbook, which `help` shows besides the help of commands and kinds.
 */
export function complete(program: Command, line: TypedLine, topics: readonly Candidate[]): Completion {
  const { words, current, redirected } = line;
  if (redirected) return { ...none, files: true };
  const [name] = words;
  if (name === undefined) return matching(current, current.startsWith('-') ? optionsOf(program) : commandsOf(program));
  if (name === 'help') return words.length > 1 ? none : matching(current, helpedOn(program, topics));
  const command = program.commands.find((each) => each.name() === name);
  return command ? completeWord(command, words.slice(1), current) : none;
}

/** Lists the commands that help lists, and `help`. */
function commandsOf(program: Command): Candidate[] {
  const commands = program.createHelp().visibleCommands(program);
  return [
    ...commands.map((command) => ({ word: command.name(), meaning: command.description() })),
    { word: 'help', meaning: 'Show the help of a command, or a page of the handbook.' },
  ];
}

/** Lists what `help` describes: commands, topics, and the kinds of things such as `app` that have the name of neither. */
function helpedOn(program: Command, topics: readonly Candidate[]): Candidate[] {
  const kinds = [...commandsByKind(program)].map(([kind, commands]) => {
    const verbs = commands.map((command) => command.name().slice(kind.length + 1));
    return { word: kind, meaning: `Commands: ${verbs.join(', ')}` };
  });
  const named = [...commandsOf(program), ...topics];
  return [...named, ...kinds.filter(({ word }) => !named.some((each) => each.word === word))];
}

/** Completes a word after the name of a command. */
function completeWord(command: Command, words: readonly string[], current: string): Completion {
  const { used, open, isOwed, places, ended } = readWords(command, words);
  if (open && isOwed) return valuesOf(open, open.flags, current);
  const [, flag, value = ''] = (!ended && /^(--[^=]+)=(.*)$/s.exec(current)) || [];
  if (flag !== undefined) {
    const option = optionNamed(command, flag);
    return option && takesValue(option) ? valuesOf(option, option.flags, value, `${flag}=`) : none;
  }
  const options = ended ? none : matching(current, optionsOf(command, used));
  if (!ended && current.startsWith('-')) return options;
  const argument = command.registeredArguments[places] ?? command.registeredArguments.findLast((last) => last.variadic);
  // An option that takes several values takes all words up to the next option.
  if (open) return valuesOf(open, open.flags, current);
  // Where no argument may stand, only options can follow.
  return argument ? valuesOf(argument, argument.name(), current) : options;
}

/** The words of a command before the one at the cursor, as far as they matter for it. */
interface ReadWords {
  readonly used: ReadonlySet<Option>;
  /** The option whose value may be next; undefined = none. */
  readonly open?: Option;
  /** Whether nothing but that value may be next. */
  readonly isOwed?: boolean;
  /** The number of arguments. */
  readonly places: number;
  /** Whether a `--` has ended the options. */
  readonly ended: boolean;
}

/** Reads words as Commander does. */
function readWords(command: Command, words: readonly string[]): ReadWords {
  const used = new Set<Option>();
  let places = 0;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (word === '--') return { used, places: places + words.length - at - 1, ended: true };
    const option = isFlag(word) ? optionNamed(command, word.replace(/=.*/s, '')) : undefined;
    if (!isFlag(word)) places += 1;
    if (!option) continue;
    used.add(option);
    if (word.includes('=') || !takesValue(option)) continue;
    const values = countValues(option, words.slice(at + 1));
    at += values;
    if (at === words.length - 1 && (values === 0 || option.variadic))
      return { used, open: option, isOwed: option.required && values === 0, places, ended: false };
  }
  return { used, places, ended: false };
}

/** Counts how many of the words after an option are values of it. */
function countValues({ required, variadic }: Option, words: readonly string[]): number {
  const next = words.findIndex((word, index) => isFlag(word) && !(required && index === 0));
  const most = next < 0 ? words.length : next;
  return variadic ? most : Math.min(most, 1);
}

function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

function optionNamed({ options }: Command, flag: string): Option | undefined {
  return options.find(({ long, short }) => flag === long || flag === short);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** Lists the options that help lists, except those that the line has already and that may stand there only once. */
function optionsOf(command: Command, used: ReadonlySet<Option> = new Set()): Candidate[] {
  const options = command.createHelp().visibleOptions(command);
  return options
    .filter((option) => !used.has(option) || option.variadic || offerOf(option, '').repeatable)
    .flatMap(({ long, short, description }) =>
      [long, short]
        .filter((flag) => flag !== undefined && flag !== null)
        .map((word) => ({ word, meaning: description })),
    );
}

/**
 * Completes a value of an option or an argument.
 * @param placeholder of the value in the help, such as `<file>`.
 * @param before what stands before the value in its word, such as `--format=`.
 */
function valuesOf(taking: Option | Argument, placeholder: string, current: string, before = ''): Completion {
  const { values = [], separated = false, files = false } = offerOf(taking, placeholder);
  const parts = separated ? current.split(',') : [current];
  const listed = parts.slice(0, -1);
  const start = before + listed.map((part) => `${part},`).join('');
  const further = values.filter((value) => !listed.includes(value));
  const candidates = further.map((value) => ({ word: start + value, meaning: '' }));
  return { ...matching(before + current, candidates), files };
}

/** Keeps the candidates that begin with what is typed and can be typed, with short meanings. */
function matching(current: string, candidates: readonly Candidate[]): Completion {
  const kept = candidates.filter(({ word }) => word.startsWith(current) && !/\p{Cc}/u.test(word));
  return { candidates: kept.map(({ word, meaning }) => ({ word, meaning: abridged(meaning) })), files: false };
}

/** How many characters of a meaning stand beside a candidate. */
const maxMeaning = 60;

/** Returns the first sentence of a text, or its beginning, on one line. */
function abridged(text: string): string {
  const [sentence = ''] = text.replace(/[\s\p{Cc}]+/gu, ' ').split(/\.(?: |$)/);
  return sentence.length <= maxMeaning ? sentence : `${sentence.slice(0, maxMeaning).replace(/[ ,;:(]+\S*$/, '')} …`;
}
