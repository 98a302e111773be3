import type { FormatContext } from '@horarium/core/plugin';

/** An element in the form that the XML builder takes: its name as the key of its content, and `:@` for its attributes. */
export type Element = Readonly<Record<string, unknown>>;
type Attributes = Readonly<Record<string, string>>;

/** Returns the name of the elements of a list, by the name of the list. */
type ItemNames = (list: string) => string;

/** Returns the name of the element around a list. */
export function listName({ plural = 'list' }: FormatContext): string {
  return plural;
}

/** Builds the root element of a response. */
export function rootElement(value: unknown, context: FormatContext): Element {
  const { kind, name, embedded = {} } = context;
  if (kind === 'list') return content(listName(context), {}, value, () => name, innerNames);
  if (kind === 'problem') return content(name, problemNamespace, value, problemNames, problemNames);
  return content(
    name,
    {},
    value,
    innerNames,
    (list) => (Object.hasOwn(embedded, list) ? embedded[list]?.name : undefined) ?? 'item',
  );
}

/** The namespace of problems; RFC 9457, appendix B, also names the elements of their lists `i`. */
const problemNamespace = { xmlns: 'urn:ietf:rfc:7807' };
const problemNames: ItemNames = () => 'i';
const innerNames: ItemNames = () => 'item';

/**
 * Builds the element of a value.
 * @param itemNames the names of its items where the value is a list.
 * @param nestedNames the names of the items of lists inside the value.
 */
function content(
  name: string,
  attributes: Attributes,
  value: unknown,
  itemNames: ItemNames,
  nestedNames: ItemNames,
): Element {
  if (Array.isArray(value)) {
    const items = value.map((item) => content(itemNames(name), {}, item, innerNames, nestedNames));
    return element(name, { ...attributes, type: 'array' }, items);
  }
  if (typeof value !== 'object' || value === null) return scalar(name, attributes, value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return element(name, { ...attributes, type: 'object' }, []);
  return element(
    name,
    attributes,
    members.map(([key, member]) => memberElement(key, member, nestedNames)),
  );
}

function scalar(name: string, attributes: Attributes, value: unknown): Element {
  if (value === null || value === undefined) return element(name, { ...attributes, type: 'null' }, []);
  if (typeof value !== 'string') return element(name, { ...attributes, type: typeof value }, [text(String(value))]);
  if (isWritable(value)) return element(name, attributes, [text(value)]);
  return element(name, { ...attributes, encoding: 'json' }, [text(jsonText(value))]);
}

/** Builds the element of a member of an object: `<name>` where XML allows that name, else `<entry key="…">`. */
function memberElement(key: string, value: unknown, names: ItemNames): Element {
  if (/^(?!xml)[a-z_][a-z0-9_.-]*$/i.test(key) && key !== '__proto__')
    return content(key, {}, value, names, innerNames);
  // JSON preserves line ends and tabs, which parsers convert to spaces in attributes.
  const plain = isWritable(key) && !/[\t\n\r]/.test(key);
  const attributes: Attributes = plain ? { key } : { key: jsonText(key), 'key-encoding': 'json' };
  return content('entry', attributes, value, names, innerNames);
}

/** Whether XML 1.0 can represent the text: it allows no control characters and lone surrogates, even escaped. */
function isWritable(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters.
  return value.isWellFormed() && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(value);
}

/** Writes a text as JSON, and escapes the two characters that JSON allows and XML does not. */
function jsonText(value: string): string {
  return JSON.stringify(value).replaceAll('\ufffe', '\\ufffe').replaceAll('\uffff', '\\uffff');
}

function element(name: string, attributes: Attributes, children: readonly Element[]): Element {
  return { [name]: children, ':@': attributes };
}

function text(value: string): Element {
  return { '#text': value };
}
