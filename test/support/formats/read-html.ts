import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

/** One element of a page: its name, attributes and all text inside. */
export interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A page as browsers understand it. */
export interface Page {
  readonly elements: readonly PageElement[];
  /** The parse errors, such as misnested elements or unescaped characters. */
  readonly errors: readonly string[];
  /** The elements of that name, with that class if one is given. */
  all(name: string, className?: string): PageElement[];
  /** The cells of all table rows, as texts. */
  rows(): string[][];
}

export function readHtml(html: string): Page {
  const errors: string[] = [];
  const document = parse(html, { onParseError: ({ code, startLine }) => errors.push(`${code} in line ${startLine}`) });
  const elements: PageElement[] = [];
  const rows: string[][] = [];
  const visit = (node: Node): void => {
    if ('tagName' in node) {
      const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
      elements.push({ name: node.tagName, attributes, text: textOf(node) });
      if (node.tagName === 'tr') rows.push(node.childNodes.map(textOf));
    }
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(document);
  const has = (element: PageElement, className?: string) =>
    className === undefined || (element.attributes['class'] ?? '').split(' ').includes(className);
  return {
    elements,
    errors,
    all: (name, className) => elements.filter((element) => element.name === name && has(element, className)),
    rows: () => rows,
  };
}

function textOf(node: Node): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}
