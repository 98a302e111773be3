import { type Handbook, type HandbookPage, linkedPage } from './handbook.ts';

/** A page as a terminal shows it: Markdown without comments, in which links to other pages name their topics. */
export function terminalText(handbook: Handbook, page: HandbookPage, markdown: string): string {
  return markdown
    .replace(/^<!--.*?-->\n+/gms, '')
    .replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_, text: string, href: string) => {
      const linked = linkedPage(handbook, page, href);
      if (!linked) return /^https?:/.test(href) ? `${text} (${href})` : text;
      return linked.page === page ? text : `${text} (horarium help ${linked.page.topic})`;
    });
}
