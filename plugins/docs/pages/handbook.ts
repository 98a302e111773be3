import { readFile } from 'node:fs/promises';
import { marked, type Token, type Tokens } from 'marked';
import { type HandbookFile, handbookFileAt } from './files.ts';

/** A page of the handbook, whose text is read when it is needed. */
export interface HandbookPage {
  /** The name of the page, unique in the handbook: `backup`. */
  readonly topic: string;
  /** Its place in the handbook: `operate/backups`; `README` for the contents. */
  readonly path: string;
  readonly title: string;
}

/** Pages for one kind of readers. */
export interface HandbookSection {
  readonly title: string;
  readonly pages: readonly HandbookPage[];
}

/** The handbook: its pages in the order of its contents. */
export interface Handbook {
  readonly sections: readonly HandbookSection[];
  readonly pages: readonly HandbookPage[];
}

/** The page that lists the others. */
export const contentsPage: HandbookPage = { topic: 'handbook', path: 'README', title: 'Handbook' };

/** The folder of the pages, also where the code runs from a bundle. */
export const handbookFolder = new URL('.', import.meta.resolve('#handbook/README.md'));

/** Reads the contents: each heading begins a section, and each link in a list below it is a page. */
export async function readHandbook(): Promise<Handbook> {
  const sections: { title: string; pages: HandbookPage[] }[] = [];
  const tokens = marked.lexer(await readPage(contentsPage));
  for (const token of tokens) {
    if (token.type === 'heading' && token['depth'] === 2) sections.push({ title: token['text'], pages: [] });
    if (token.type === 'list') sections.at(-1)?.pages.push(...linksIn([token]).map(pageOf));
  }
  return { sections, pages: sections.flatMap(({ pages }) => pages) };
}

/** @returns the text of a page, in Markdown. */
export function readPage({ path }: HandbookPage): Promise<string> {
  return readFile(new URL(`${path}.md`, handbookFolder), 'utf8');
}

/** Finds the page that a link of another one leads to; undefined for links that leave the handbook. */
export function linkedPage(
  handbook: Handbook,
  from: HandbookPage,
  href: string,
): { page: HandbookPage; anchor: string } | undefined {
  const base = new URL(`${from.path}.md`, handbookFolder);
  const url = URL.parse(href, base.href);
  const anchor = url?.hash ?? '';
  const page = [contentsPage, ...handbook.pages].find(
    ({ path }) =>
      `${url?.origin}${url?.pathname}` === `${base.origin}${new URL(`${path}.md`, handbookFolder).pathname}`,
  );
  return page && { page, anchor };
}

/** Returns the file of the handbook that a link of a page leads to; undefined = it leads to none. */
export function linkedFile(from: HandbookPage, href: string): HandbookFile | undefined {
  const address = URL.parse(href, new URL(`${from.path}.md`, handbookFolder).href);
  return address ? handbookFileAt(address, handbookFolder) : undefined;
}

/** Lists the links in a part of a document. */
export function linksIn(tokens: Token[]): Tokens.Link[] {
  const links: Tokens.Link[] = [];
  void marked.walkTokens(tokens, (token) => {
    if (token.type === 'link') links.push(token as Tokens.Link);
  });
  return links;
}

function pageOf({ href, text }: Tokens.Link): HandbookPage {
  const path = href.replace(/\.md$/, '');
  return { topic: path.split('/').at(-1) as string, path, title: text };
}
