import type { FieldChanges } from '../data/why.ts';
import { changedMembers, isMap, isSame, mask } from '../form/values.ts';

/** A field, or what differs within it such as a variable, before and after. */
export interface ChangedField {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Lists what a save has changed: of a field with members or elements, such as an environment, those that differ. */
export function changedFields(changes: FieldChanges): readonly ChangedField[] {
  return Object.entries(changes).flatMap(([field, [before, after]]) => {
    // A variable is known by its own name.
    const isInner = isMap(before) && isMap(after);
    return differencesOf(isInner ? '' : field, before, after).map((each) => ({ ...each, name: each.name || field }));
  });
}

/**
 * Lists in what two values differ: maps by their members, at any depth, and lists of the same length by their elements.
 * @param name of the value; those of members follow it after a full stop.
 */
export function differencesOf(name: string, before: unknown, after: unknown): readonly ChangedField[] {
  if (isMap(before) && isMap(after))
    return changedMembers(before, after).flatMap(({ member, ...change }) => {
      if (member === null) return [{ name, ...change }];
      return differencesOf(name === '' ? member : `${name}.${member}`, change.before, change.after);
    });
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length)
    return [{ name, before, after }];
  const elements = before.flatMap((each: unknown, index) => {
    if (isSame(each, after[index])) return [];
    const isPart = typeof each === 'object' && each !== null;
    return differencesOf(isPart ? `${name}[${index}]` : name, each, after[index]);
  });
  return elements.length > 0 ? elements : [{ name, before: mask, after: mask }];
}

/** Two values in a line; null = there is none. */
export interface ShownPair {
  readonly before: string | null;
  readonly after: string | null;
  /** Whether a part of one of them is left out, or it has several lines. */
  readonly isCut: boolean;
}

/** How many characters of a value are shown, and how many of them stand before the first that differs. */
const maxShown = 60;
const maxContext = 20;

/** Shows two values in a line, long ones from shortly before they differ: what is shown of them differs if they do. */
export function shownPair(before: unknown, after: unknown): ShownPair {
  const [plain, other] = [valueText(before), valueText(after)];
  // Such as the number 5 and the text 5.
  const isAlike = plain !== null && plain === other && !isSame(before, after);
  const [one, two] = isAlike ? [JSON.stringify(before), JSON.stringify(after)] : [plain, other];
  const isLong = Math.max(one?.length ?? 0, two?.length ?? 0) > maxShown;
  const start = isLong && one !== null && two !== null ? startOfExcerpt(one, two) : 0;
  const shown = { before: excerpt(one, start), after: excerpt(two, start) };
  const hasLines = `${one}${two}`.includes('\n');
  return { ...shown, isCut: hasLines || shown.before !== one || shown.after !== two };
}

/** Writes a value as a text; null where there is none. */
export function valueText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

function startOfExcerpt(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let same = 0;
  while (same < length && one[same] === other[same]) same += 1;
  return wholeCharacter(one, Math.max(0, same - maxContext));
}

function excerpt(text: string | null, start: number): string | null {
  if (text === null) return null;
  const end = text.length - start <= maxShown ? text.length : wholeCharacter(text, start + maxShown);
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

/** Moves a place that lies within a character of two code units to its start. */
function wholeCharacter(text: string, at: number): number {
  return at > 0 && /[\uDC00-\uDFFF]/.test(text.charAt(at)) && /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at;
}
