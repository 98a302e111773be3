import { SaxesParser } from 'saxes';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly inside: Element[];
  text: string;
}

/** Reads the data of an XML document by its type attributes. @throws Error when it is not well-formed. */
export function readXml(xml: string): { name: string; attributes: Element['attributes']; value: unknown } {
  const root: Element = { name: '', attributes: {}, inside: [], text: '' };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes, inside: [], text: '' };
    open.at(-1)?.inside.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    (open.at(-1) as Element).text += text;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  const [outermost] = root.inside;
  if (!outermost || root.inside.length !== 1) throw new Error('There must be one outermost element.');
  return { name: outermost.name, attributes: outermost.attributes, value: dataOf(outermost) };
}

function dataOf({ attributes, inside, text }: Element): unknown {
  const type = attributes['type'];
  if (type === 'null') return null;
  if (type === 'array') return inside.map(dataOf);
  if (type === 'object' || (type === undefined && inside.length > 0))
    return Object.fromEntries(inside.map((member) => [keyOf(member), dataOf(member)]));
  if (type === 'number') return Number(text);
  if (type === 'boolean') return text === 'true';
  if (type !== undefined) throw new Error(`There is no type ${type}.`);
  return attributes['encoding'] === 'json' ? JSON.parse(text) : text;
}

function keyOf({ name, attributes }: Element): string {
  const { key } = attributes;
  if (key === undefined) return name;
  return attributes['key-encoding'] === 'json' ? JSON.parse(key) : key;
}
