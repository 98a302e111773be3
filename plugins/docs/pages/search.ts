import { yieldToEventLoop } from '@horarium/core/plugin';
import { marked, type Tokens } from 'marked';
import MiniSearch from 'minisearch';
import { type Handbook, type HandbookPage, readPage } from './handbook.ts';
import { anchorsOf, plainText } from './markdown-html.ts';

/** A part of a page: what stands below one of its headings. */
export interface HandbookPart {
  readonly page: HandbookPage;
  readonly heading: string;
  readonly anchor: string;
  readonly text: string;
}

/** Finds parts of pages by the words in their headings and texts, the best first. */
export class HandbookSearch {
  readonly #parts: readonly HandbookPart[];
  readonly #index: MiniSearch;

  private constructor(parts: readonly HandbookPart[]) {
    this.#parts = parts;
    this.#index = new MiniSearch({
      fields: ['title', 'heading', 'text'],
      searchOptions: { boost: { title: 4, heading: 3 }, prefix: (term) => term.length > 2, fuzzy: 0.15 },
    });
  }

  /** Reads and indexes all pages of a handbook, and gives way meanwhile. */
  static async of(handbook: Handbook): Promise<HandbookSearch> {
    const parts: HandbookPart[] = [];
    for (const page of handbook.pages) {
      parts.push(...partsOf(page, await readPage(page)));
      await yieldToEventLoop();
    }
    const search = new HandbookSearch(parts);
    const documents = parts.map(({ page, heading, text }, id) => {
      return { id, title: `${page.title} ${page.topic}`, heading, text };
    });
    await search.#index.addAllAsync(documents, { chunkSize: 20 });
    return search;
  }

  /** @returns the best parts, at most so many: those with all words, or else those with any. */
  find(words: string, limit: number): HandbookPart[] {
    const all = this.#index.search(words, { combineWith: 'AND' });
    const found = all.length > 0 ? all : this.#index.search(words, { combineWith: 'OR' });
    return found.slice(0, limit).map(({ id }) => this.#parts[id] as HandbookPart);
  }
}

/** Divides a page at its headings. */
function partsOf(page: HandbookPage, markdown: string): HandbookPart[] {
  const anchors = anchorsOf(markdown);
  const parts: { page: HandbookPage; heading: string; anchor: string; text: string }[] = [];
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading')
      parts.push({ page, heading: plainText((token as Tokens.Heading).text), anchor: anchors.shift() ?? '', text: '' });
    const part = parts.at(-1);
    if (part && !['heading', 'html', 'space'].includes(token.type)) part.text += `${readableText(token.raw)} `;
  }
  return parts;
}

/** Markdown as plain words: without its marks, the targets of its links, the rules of its tables and its comments. */
function readableText(raw: string): string {
  return raw
    .replace(/<!--.*?-->/gs, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^(?:```|\|[ |:-]*$).*/gm, '')
    .replace(/[*`|]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
