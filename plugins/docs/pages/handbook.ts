import { readFile } from 'node:fs/promises';
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

/** The lines of the contents: a heading begins a section, and a link at the start of an item is a page. */
const contentsLine = /^## (?<section>.+)$|^\* \[(?<title>[^\]]+)\]\((?<path>[^)]+)\.md\)/gm;

/** Reads the contents of the handbook. No library parses it, because the list of all commands shows it too. */
export async function readHandbook(): Promise<Handbook> {
  const sections: { title: string; pages: HandbookPage[] }[] = [];
  const contents = await readPage(contentsPage);
  for (const { groups } of contents.matchAll(contentsLine)) {
    const { section, title = '', path = '' } = groups ?? {};
    if (section !== undefined) sections.push({ title: section, pages: [] });
    else sections.at(-1)?.pages.push({ topic: path.split('/').at(-1) as string, path, title });
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
