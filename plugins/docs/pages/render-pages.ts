import { Eta } from 'eta';
import {
  contentsPage,
  type Handbook,
  type HandbookPage,
  linkedFile,
  linkedPage,
  readHandbook,
  readPage,
} from './handbook.ts';
import { markdownToHtml } from './markdown-html.ts';
import { HandbookSearch } from './search.ts';
import { handbookStyle } from './style.ts';

const eta = new Eta({ autoEscape: true, cache: true, autoTrim: [false, false], rmWhitespace: false });
eta.loadTemplate(
  '@page',
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title><%= it.title %> · Horarium</title>
<style><%~ it.style %></style></head>
<body>
<nav><p class="home"><a href="<%= it.root %>">Horarium handbook</a></p>
<form action="<%= it.root %>/search" role="search"><input type="search" name="q" value="<%= it.query %>" placeholder="Search the handbook" aria-label="Search the handbook" maxlength="200"></form>
<div class="sections"><% for (const { title, pages } of it.sections) { %><h2><%= title %></h2><ul><% for (const page of pages) { %><li><a href="<%= page.href %>"<% if (page.isCurrent) { %> aria-current="page"<% } %>><%= page.title %></a></li><% } %></ul>
<% } %><h2>API</h2><ul><li><a href="<%= it.root %>/api">Every request</a></li></ul></div></nav>
<main>
<%~ it.content %>
<% if (it.previous || it.next) { %><p class="turn"><span><% if (it.previous) { %>← <a rel="prev" href="<%= it.previous.href %>"><%= it.previous.title %></a><% } %></span><span><% if (it.next) { %><a rel="next" href="<%= it.next.href %>"><%= it.next.title %></a> →<% } %></span></p>
<% } %></main>
</body></html>
`,
);
eta.loadTemplate(
  '@results',
  `<h1>Search</h1>
<% if (it.results.length === 0) { %><p><% if (it.query) { %>Nothing was found for <strong><%= it.query %></strong>. Try fewer or other words.<% } else { %>Type words into the search field.<% } %></p>
<% } else { %><ol class="results"><% for (const each of it.results) { %><li><a href="<%= each.href %>"><%= each.heading %></a> <span class="soft"><%= each.page %></span><p><%= each.excerpt %></p></li>
<% } %></ol><% } %>`,
);

/** How many characters of a part the results of a search show. */
const excerptLength = 220;
const maxResults = 20;

/** Renders the pages of the handbook, which show no data of the service, under the path where the service has them. */
export class HandbookPages {
  readonly #handbook: Handbook;
  /** The path of the contents, such as `/docs`. */
  readonly #root: string;
  /** The pages that were rendered, by path. */
  readonly #rendered = new Map<string, string>();
  #search: HandbookSearch | undefined;

  private constructor(handbook: Handbook, root: string) {
    this.#handbook = handbook;
    this.#root = root;
  }

  static async open(root: string): Promise<HandbookPages> {
    return new HandbookPages(await readHandbook(), root);
  }

  /** @param path the place of a page, such as `operate/backups`; undefined for the contents. @returns null for none. */
  async page(path?: string): Promise<string | null> {
    const { pages } = this.#handbook;
    const index = pages.findIndex((page) => page.path === path);
    const page = path === undefined ? contentsPage : pages[index];
    if (!page) return null;
    const rendered = this.#rendered.get(page.path);
    if (rendered !== undefined) return rendered;
    const content = markdownToHtml(await readPage(page), (href) => this.#addressOf(page, href));
    const html = this.#render({ page, content, previous: pages[index - 1], next: pages[index + 1] });
    this.#rendered.set(page.path, html);
    return html;
  }

  async results(query: string): Promise<string> {
    this.#search ??= await HandbookSearch.of(this.#handbook);
    const parts = this.#search.find(query, maxResults);
    const results = parts.map(({ page, heading, anchor, text }) => ({
      href: `${this.#hrefOf(page)}#${anchor}`,
      heading,
      page: page.title,
      excerpt: text.length > excerptLength ? `${text.slice(0, excerptLength).replace(/\s\S*$/, '')} …` : text,
    }));
    return this.#render({ query, content: eta.render('@results', { query, results }) });
  }

  #render(view: {
    page?: HandbookPage;
    content: string;
    query?: string;
    previous?: HandbookPage | undefined;
    next?: HandbookPage | undefined;
  }) {
    const { page, content, query = '', previous, next } = view;
    const linkTo = (each: HandbookPage | undefined) => each && { href: this.#hrefOf(each), title: each.title };
    return eta.render('@page', {
      title: page?.title ?? 'Search',
      style: handbookStyle.style,
      root: this.#root,
      query,
      content,
      previous: linkTo(previous),
      next: linkTo(next),
      sections: this.#handbook.sections.map(({ title, pages }) => ({
        title,
        pages: pages.map((each) => ({ ...linkTo(each), isCurrent: each === page })),
      })),
    });
  }

  #addressOf(from: HandbookPage, href: string): string {
    const linked = linkedPage(this.#handbook, from, href);
    if (linked) return `${this.#hrefOf(linked.page)}${linked.anchor}`;
    const file = linkedFile(from, href);
    return file === undefined ? href : `${this.#root}/${file.name}`;
  }

  #hrefOf(page: HandbookPage): string {
    return page === contentsPage ? this.#root : `${this.#root}/${page.path}`;
  }
}
