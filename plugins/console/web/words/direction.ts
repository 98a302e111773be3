/** The marks that begin an isolate, a text with a direction of its own, and the one that ends it. */
const isolates = /[\u2066-\u2069]/g;
const end = '\u2069';
/** What may change the direction of a text: marks for it, and letters that are written from right to left. */
const directed = /[\p{Bidi_Control}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Ends all isolates that a text begins, and leaves out the marks that would end one around it. */
export function balanced(text: string): string {
  let open = 0;
  const kept = text.replaceAll(isolates, (mark) => {
    if (mark !== end) open++;
    else if (open === 0) return '';
    else open--;
    return mark;
  });
  return kept + end.repeat(open);
}

/** Keeps a name from changing the direction of the text around it, where no element can. */
export function isolated(name: string): string {
  return directed.test(name) ? `\u2068${balanced(name)}${end}` : name;
}

/** Returns words whose sentences isolate the names that stand in them. */
export function isolating<T>(words: T): T {
  if (typeof words === 'function') return ((...names: unknown[]) => words(...names.map(isolatedIn))) as T;
  if (Array.isArray(words)) return words.map(isolating) as T;
  if (typeof words !== 'object' || words === null) return words;
  return Object.fromEntries(Object.entries(words).map(([name, each]) => [name, isolating(each)])) as T;
}

function isolatedIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(isolatedIn);
  return typeof value === 'string' ? isolated(value) : value;
}
