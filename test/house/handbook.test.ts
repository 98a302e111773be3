import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { marked, type Tokens } from 'marked';
import {
  contentsPage,
  handbookFolder,
  linkedFile,
  linkedPage,
  readHandbook,
  readPage,
} from '../../plugins/docs/pages/handbook.ts';
import { anchorsOf } from '../../plugins/docs/pages/markdown-html.ts';
import { helpProgram } from '../support/docs/help-program.ts';
import { linksIn } from '../support/docs/links.ts';
import { sourceFiles } from './source-files.ts';

const maxLines = 150;

const handbook = await readHandbook();
const texts = new Map(
  await Promise.all([contentsPage, ...handbook.pages].map(async (page) => [page, await readPage(page)] as const)),
);

describe('The handbook', () => {
  it('lists each of its pages once in the contents', () => {
    const files = readdirSync(fileURLToPath(handbookFolder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && name !== 'README.md')
      .map((name) => name.slice(0, -'.md'.length));
    expect(handbook.pages.map(({ path }) => path)).to.have.members(files);
    expect(files.length).to.be.greaterThan(30);
  });

  it('names each topic once, and none as a command is named', async () => {
    const topics = handbook.pages.map(({ topic }) => topic);
    expect(topics).to.have.length(new Set(topics).size);
    const names = (await helpProgram()).commands.map((command) => command.name());
    expect(topics.filter((topic) => names.includes(topic))).to.deep.equal([]);
  });

  it(`has at most ${maxLines} lines a page, its title first and then a sentence that says what it is about`, () => {
    const faults = handbook.pages.flatMap((page) => {
      const text = texts.get(page) as string;
      const lines = text.trimEnd().split('\n').length;
      const [title, first] = marked.lexer(text).filter(({ type }) => type !== 'space' && type !== 'html');
      const isTitled =
        title?.type === 'heading' && (title as Tokens.Heading).depth === 1 && first?.type === 'paragraph';
      return lines <= maxLines && isTitled ? [] : [`${page.path}: ${lines} lines`];
    });
    expect(faults).to.deep.equal([]);
  });

  it('has no dead link, and no link to an anchor that is not there', () => {
    const dead = [...texts].flatMap(([page, text]) =>
      linksIn(marked.lexer(text))
        .map(({ href }) => href)
        .filter((href) => !/^https?:/.test(href))
        .filter((href) => {
          if (linkedFile(page, href) !== undefined) return false;
          const linked = linkedPage(handbook, page, href);
          return !linked || !isAnchor(texts.get(linked.page) as string, linked.anchor);
        })
        .map((href) => `${page.path}: ${href}`),
    );
    expect(dead).to.deep.equal([]);
  });

  it('has the pages that messages name', () => {
    const places = ['TOPIC', 'COMMAND', 'KIND'];
    const pages = [contentsPage, ...handbook.pages].flatMap(({ topic, path }) => [topic, path]);
    const names = new Set([...pages, ...places]);
    const named = sourceFiles()
      .filter(({ path }) => !path.startsWith('test/'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/horarium help ([\w-]+)|(?<!\w)\/docs\/([\w-]+\/[\w-]+)/g)].map(([, topic, page]) => [
          path,
          topic ?? page,
        ]),
      );
    expect(named.filter(([, topic]) => !names.has(topic as string))).to.deep.equal([]);
    expect(named.length).to.be.greaterThan(8);
  });
});

function isAnchor(markdown: string, anchor: string): boolean {
  return anchor === '' || anchorsOf(markdown).includes(anchor.slice(1));
}
