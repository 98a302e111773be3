import type { FieldDescription } from '@horarium/core';
import type { Argument, Option } from 'commander';

/** What a shell offers for an option or an argument, where its help says so in words of its own. */
export interface Offer {
  /** Values that it takes; it may take others too. */
  readonly values?: readonly string[];
  /** Whether it takes several values with commas between them. @default false */
  readonly separated?: boolean;
  /** Whether it takes names of files or folders. @default what its placeholder says */
  readonly files?: boolean;
  /** Whether the option may stand in a line more than once. @default false */
  readonly repeatable?: boolean;
}

// Choices of Commander would repeat the values in the help, and refuse others in words of its own.
const offers = new WeakMap<Option | Argument, Offer>();

/** Says what a shell offers for an option or an argument, and returns it. */
export function offering<T extends Option | Argument>(taking: T, offer: Offer): T {
  offers.set(taking, offer);
  return taking;
}

/** The values of a field that a shell offers. */
export function fieldValues({ values, kind }: Pick<FieldDescription, 'values' | 'kind'>): readonly string[] {
  return values ?? (kind === 'flag' ? ['true', 'false'] : []);
}

/** Returns what a shell offers for an option or an argument: what was said, its choices, and files by its placeholder. */
export function offerOf(taking: Option | Argument, placeholder: string): Offer {
  const files = /\b(?:files?|folders?|path)\b/.test(placeholder);
  return { files, ...(taking.argChoices && { values: taking.argChoices }), ...offers.get(taking) };
}
