import GithubSlugger from 'github-slugger';
import { Marked, type Tokens } from 'marked';

/**
 * Converts a page of the handbook to HTML. Headings get the anchors that GitHub gives them; comments are left out.
 * @param hrefOf returns the address that a link of the page leads to.
 */
export function markdownToHtml(markdown: string, hrefOf: (href: string) => string): string {
  const slugger = new GithubSlugger();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = slugger.slug(plainText(text));
        return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(hrefOf(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      code({ text, lang }) {
        const lines = lang === 'console' ? text.split('\n').map(consoleLine) : [escapeHtml(text)];
        return `<pre><code>${lines.join('\n')}</code></pre>\n`;
      },
      html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
    },
  });
  return marked.parse(markdown, { async: false });
}

/** Lists the anchors of a page: those of its headings, as GitHub makes them. */
export function anchorsOf(markdown: string): string[] {
  const slugger = new GithubSlugger();
  return new Marked()
    .lexer(markdown)
    .flatMap((token) => (token.type === 'heading' ? [slugger.slug(plainText((token as Tokens.Heading).text))] : []));
}

/** A heading without the marks of code, strong text and links. */
export function plainText(heading: string): string {
  return heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}

/** The prompt before a command is not selected, so that the command is copied alone. */
function consoleLine(line: string): string {
  return line.startsWith('$ ') ? `<span class="prompt">$ </span>${escapeHtml(line.slice(2))}` : escapeHtml(line);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
