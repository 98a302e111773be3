import type { FormatContext } from '@horarium/core/plugin';

/** An element as the builder takes it: one key, its name, that holds what is inside; `:@` holds its attributes. */
export type Element = Readonly<Record<string, unknown>>;
type Attributes = Readonly<Record<string, string>>;

/** What elements of lists are called, by the name of the list. */
type ItemNames = (list: string) => string;

/** The whole of an answer as its one outermost element. */
export function rootElement(value: unknown, context: FormatContext): Element {
  const { kind, name, plural, embedded = {} } = context;
  if (kind === 'list') return content(plural ?? 'list', {}, value, () => name, innerNames);
  if (kind === 'problem') return content(name, problemNamespace, value, problemNames, problemNames);
  return content(
    name,
    {},
    value,
    innerNames,
    (list) => (Object.hasOwn(embedded, list) ? embedded[list]?.name : undefined) ?? 'item',
  );
}

/** RFC 9457, appendix B: the namespace of problems, and what the elements of their lists are called. */
const problemNamespace = { xmlns: 'urn:ietf:rfc:7807' };
const problemNames: ItemNames = () => 'i';
const innerNames: ItemNames = () => 'item';

/** @param own what the elements of this value are called if it is a list; `inner` the same for what is inside it. */
function content(name: string, attributes: Attributes, value: unknown, own: ItemNames, inner: ItemNames): Element {
  if (Array.isArray(value)) {
    const items = value.map((item) => content(own(name), {}, item, innerNames, inner));
    return element(name, { ...attributes, type: 'array' }, items);
  }
  if (typeof value !== 'object' || value === null) return scalar(name, attributes, value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return element(name, { ...attributes, type: 'object' }, []);
  return element(
    name,
    attributes,
    members.map(([key, member]) => named(key, member, inner)),
  );
}

function scalar(name: string, attributes: Attributes, value: unknown): Element {
  if (value === null || value === undefined) return element(name, { ...attributes, type: 'null' }, []);
  if (typeof value !== 'string') return element(name, { ...attributes, type: typeof value }, [text(String(value))]);
  if (isWritable(value)) return element(name, attributes, [text(value)]);
  return element(name, { ...attributes, encoding: 'json' }, [text(jsonText(value))]);
}

/** A member of an object: under its own name where XML allows it, else as `<entry key="…">`. */
function named(key: string, value: unknown, names: ItemNames): Element {
  if (/^(?!xml)[a-z_][a-z0-9_.-]*$/i.test(key) && key !== '__proto__')
    return content(key, {}, value, names, innerNames);
  // Parsers turn line ends and tabs of attributes into spaces.
  const plain = isWritable(key) && !/[\t\n\r]/.test(key);
  const attributes: Attributes = plain ? { key } : { key: jsonText(key), 'key-encoding': 'json' };
  return content('entry', attributes, value, names, innerNames);
}

/** Whether XML 1.0 can hold the text at all: even escaped, it knows no control characters and no halves of characters. */
function isWritable(given: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return given.isWellFormed() && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(given);
}

/** JSON's own escapes leave two characters that XML does not know either. */
function jsonText(given: string): string {
  return JSON.stringify(given).replaceAll('\ufffe', '\\ufffe').replaceAll('\uffff', '\\uffff');
}

function element(name: string, attributes: Attributes, inside: readonly Element[]): Element {
  return { [name]: inside, ':@': attributes };
}

function text(given: string): Element {
  return { '#text': given };
}
