/** What the service calls things that pages call otherwise. Its descriptions are in English on all pages. */
const terms: readonly (readonly [said: RegExp, shown: string])[] = [
  [/\bnull = /g, 'empty = '],
  [/\bNull = /g, 'Empty = '],
  [/\brun template/g, 'template'],
  [/\bRun template/g, 'Template'],
  [/\bTask(?=s?\b)/g, 'run'],
];

/** Writes what the service says of its records in the words of pages, where an input is left empty and programs send null. */
export function inPageWords(description: string): string {
  return replaced(description, terms);
}

/** What the description of a field may name: the field and its choices. */
interface Described {
  readonly name: string;
  readonly description?: string;
  readonly options?: readonly (readonly [value: string, text: string, ...rest: unknown[]])[];
}

/** Returns the fields with descriptions that name choices as the inputs do: `interval custom` is what the choice is called. */
export function withNamedChoices<F extends Described>(fields: readonly F[]): readonly F[] {
  const named = fields.flatMap(({ name, options = [] }) =>
    options.map(([choice, text]) => [wordOf(`${name}:? `, choice, '\\b', 'gi'), `${name} “${text}”`] as const),
  );
  return fields.map((field) => {
    const { description, options = [] } = field;
    if (description === undefined) return field;
    const own = options.map(([choice, text]) => [wordOf('', choice, ' = '), `“${text}” = `] as const);
    return { ...field, description: replaced(description, [...named, ...own]) };
  });
}

/** Matches a choice, which may have any characters, between patterns that stand before and after it. */
function wordOf(before: string, choice: string, after: string, flags = 'g'): RegExp {
  return new RegExp(`\\b${before}${choice.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}${after}`, flags);
}

function replaced(text: string, terms: readonly (readonly [said: RegExp, shown: string])[]): string {
  return terms.reduce((changed, [said, shown]) => changed.replaceAll(said, () => shown), text);
}
