import type { PlanningBudget } from './planning-budget.ts';

/**
 * Where a variable of a job takes its value from: `recordid`, `$.order.items[*].id`, `produces.dump.database` or
 * `@file:dump`. Those of the result and of files exist in chains only.
 */
export type Selector =
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }
  | { readonly kind: 'produces'; readonly output: string; readonly field: string }
  | { readonly kind: 'file'; readonly name: string };

/** A member of an object, an element of a list, or every element of it (`[*]`). */
type Step = string | number | typeof everyElement;
const everyElement = Symbol('[*]');

const stepPattern = /\.([^.[\]"]+)|\[(\d{1,9})\]|\[(\*)\]|\["((?:[^"\\]|\\["\\])*)"\]/y;
const fileMark = '@file:';
const producesPattern = /^produces\.([^.]+)\.(.+)$/;

/**
 * Parses a selector as it was saved.
 * @param isChain whether the event is the end of a job or a Task; else it comes from a source.
 * @throws Error with the end of a sentence that says what is wrong with it.
 */
export function parseSelector(text: string, isChain: boolean): Selector {
  if (text === '') throw new Error('must not be empty');
  if (text.startsWith('$')) return { kind: 'path', steps: parseSteps(text) };
  if (text.startsWith('@')) return { kind: 'file', name: parseFile(text, isChain) };
  const [, output, field] = (isChain && producesPattern.exec(text)) || [];
  if (output !== undefined && field !== undefined) return { kind: 'produces', output, field };
  return { kind: 'column', name: text };
}

/** The columns that selectors of chains read. */
export const endColumns = ['event', 'job_id', 'task_id', 'runtemplate_id', 'exit_code', 'state', 'reason'] as const;

/** Whether a selector of a chain reads the result file. */
export function readsResult(text: string): boolean {
  return text.startsWith('$') || producesPattern.test(text);
}

/** Whether a selector of a chain reads the files that the job left. */
export function readsFiles(text: string): boolean {
  return text.startsWith('@');
}

function parseSteps(text: string): Step[] {
  const steps: Step[] = [];
  stepPattern.lastIndex = 1;
  while (stepPattern.lastIndex < text.length) {
    const at = stepPattern.lastIndex;
    const [whole, member, index, every, quoted] = stepPattern.exec(text) ?? [];
    if (whole === undefined)
      throw new Error(`must be a path such as $.order.items[0].id, which it is not from character ${at + 1} on`);
    if (every !== undefined) steps.push(everyElement);
    else
      steps.push(index === undefined ? (member ?? (quoted as string).replaceAll(/\\(["\\])/g, '$1')) : Number(index));
  }
  return steps;
}

function parseFile(text: string, isChain: boolean): string {
  const name = text.slice(fileMark.length);
  if (!text.startsWith(fileMark) || name === '') throw new Error('must name a file as @file:NAME does');
  if (!isChain) throw new Error('cannot be @file: only jobs leave files, and the events of a source are no jobs');
  return name;
}

/** What the selectors of an event read. */
export interface Selectable {
  /** The columns of a change, or the properties of what ended. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** What `$` is: the columns of a change, or the result file of a job. @throws Error with a sentence when there is none. */
  document(): unknown;
  /** What the text of a column is when a path leads into it. */
  parse(text: string): unknown;
  /** The artifacts of that name. @throws Error with a sentence when there is none. */
  files(name: string): readonly SelectedFile[];
}

/** A value for a variable of a job: a text, or an artifact whose path it will be. */
export type SelectedValue = string | SelectedFile;

/** An artifact that a job is given as a file. */
export interface SelectedFile {
  readonly id: number;
  readonly filename: string;
  readonly size: number;
}

/** The values of a selector: one, or a list with one for each job to create; null = the variable is not given. */
export type Selected = SelectedValue | readonly SelectedValue[] | null;

/** What an element of a list costs, in characters: it is visited, and may become a text. */
const elementCost = 8;

/**
 * @param budget what may still be selected of the event.
 * @throws Error with a sentence on what the event lacks, or when that is too much.
 */
export function select(selector: Selector, from: Selectable, budget: PlanningBudget): Selected {
  switch (selector.kind) {
    case 'column':
      if (!Object.hasOwn(from.columns, selector.name)) throw new Error(`the event has no ${selector.name}`);
      return selectedOf(from.columns[selector.name], budget);
    case 'path':
      return selectedOf(follow(from.document(), { steps: selector.steps, from, budget }), budget);
    case 'produces': {
      const steps = [selector.output, selector.field];
      return selectedOf(follow(from.document(), { steps, from, budget, root: 'produces' }), budget);
    }
    case 'file': {
      const files = from.files(selector.name);
      budget.spend(files.length * elementCost);
      return files.length === 1 ? (files[0] as SelectedFile) : files;
    }
  }
}

interface Following {
  readonly steps: readonly Step[];
  readonly from: Pick<Selectable, 'parse'>;
  readonly budget: PlanningBudget;
  /** What errors call the document. @default '$' */
  readonly root?: string;
}

/** @param indexes the elements of lists that led to the value, which errors name. */
function follow(value: unknown, following: Following, at = 0, indexes: readonly number[] = []): unknown {
  const { steps, from, budget } = following;
  if (at === steps.length) return value;
  const step = steps[at] as Step;
  const container = typeof value === 'string' ? from.parse(value) : value;
  if (step === everyElement) {
    if (!Array.isArray(container)) throw new Error(`the event has no list at ${pathTo(at, following, indexes)}`);
    budget.spend(container.length * elementCost);
    return container.map((element, index) => follow(element, following, at + 1, [...indexes, index]));
  }
  if (typeof container !== 'object' || container === null || !Object.hasOwn(container, step))
    throw new Error(`the event has nothing at ${pathTo(at + 1, following, indexes)}`);
  return follow((container as Readonly<Record<string | number, unknown>>)[step], following, at + 1, indexes);
}

/** Writes the way that was followed, only where it ends: there may be a million elements beside it. */
function pathTo(end: number, { steps, root = '$' }: Following, indexes: readonly number[]): string {
  let lists = 0;
  const parts = steps.slice(0, end).map((step) => {
    if (typeof step === 'string') return `.${step}`;
    return `[${step === everyElement ? indexes[lists++] : step}]`;
  });
  return root + parts.join('');
}

/** Returns a function that parses the JSON text that a column may hold, each text once; other text stays as it is. */
export function columnParser(): Selectable['parse'] {
  const known = new Map<string, unknown>();
  return (text) => {
    if (!known.has(text)) known.set(text, parsed(text));
    return known.get(text);
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function selectedOf(value: unknown, budget: PlanningBudget): Selected {
  if (value === null || value === undefined) return null;
  if (!Array.isArray(value)) return textOf(value, budget);
  budget.spend(value.length * elementCost);
  return value.map((element) => textOf(element, budget));
}

function textOf(value: unknown, budget: PlanningBudget): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return value === null || value === undefined ? '' : String(value);
  const text = JSON.stringify(value);
  budget.spend(text.length);
  return text;
}

/** What each job to create gets, by variable. */
export type JobValues = Readonly<Record<string, SelectedValue>>;

/**
 * Distributes selected values over the jobs to create: one job, or one for each element of the lists, which must be of one
 * length. Values that are no lists are the same for each job; those that are null are left out.
 * @param max how many jobs there may be.
 * @param budget pays for the values of all of them before anything is built.
 * @throws Error with a sentence when the lists differ in length, or are longer than `max`, or when that is too much.
 */
export function fanOut(
  selected: Readonly<Record<string, Selected>>,
  max: number,
  budget: PlanningBudget,
): readonly JobValues[] {
  const entries = Object.entries(selected).filter(
    (entry): entry is [string, Exclude<Selected, null>] => entry[1] !== null,
  );
  const lists = entries.filter(([, value]) => isList(value));
  const [first] = lists;
  const length = first ? (first[1] as readonly SelectedValue[]).length : 1;
  for (const [name, list] of lists) {
    const { length: other } = list as readonly SelectedValue[];
    if (other !== length)
      throw new Error(`${first?.[0]} has ${length} values and ${name} ${other}: lists must be of one length`);
  }
  if (length > max)
    throw new Error(`${first?.[0]} has ${length} values, and at most ${max} jobs are made of one event`);
  for (const [name, value] of entries) {
    const sizes = isList(value) ? value.reduce((sum, item) => sum + lengthOf(item), 0) : lengthOf(value) * length;
    budget.spend(name.length * length + sizes);
  }
  return Array.from({ length }, (_, index) =>
    Object.fromEntries(
      entries.map(([name, value]) => [name, isList(value) ? (value[index] as SelectedValue) : value] as const),
    ),
  );
}

function lengthOf(value: SelectedValue): number {
  return (typeof value === 'string' ? value : value.filename).length;
}

function isList(value: Exclude<Selected, null>): value is readonly SelectedValue[] {
  return Array.isArray(value);
}
