import type { HandbookPage } from '../../plugins/docs/pages/handbook.ts';
import { contentsPage, readHandbook, readPage } from '../../plugins/docs/pages/handbook.ts';
import { wrapWords } from './help/wrap-words.ts';

/** Returns the page of the handbook on a topic, as a terminal shows it, or its contents; null if it has no page of that name. */
export async function helpOnTopic(topic: string): Promise<string | null> {
  const handbook = await readHandbook();
  const page = [contentsPage, ...handbook.pages].find((each) => topic === each.topic || topic === each.path);
  if (!page) return null;
  const { terminalText } = await import('../../plugins/docs/pages/terminal-text.ts');
  return terminalText(handbook, page, await readPage(page));
}

/** Returns the pages of the handbook, its contents first. */
export async function readTopics(): Promise<readonly HandbookPage[]> {
  return [contentsPage, ...(await readHandbook()).pages];
}

/** Whether the handbook has a page of that name. */
export async function hasTopic(topic: string): Promise<boolean> {
  return (await readTopics()).some((each) => topic === each.topic);
}

/** How many topics are offered for words that are none. */
const maxOffered = 5;
/** How many parts of pages are looked at for them: a page has several. */
const maxParts = 20;

/** Lists the topics whose pages are about these words, the best first; null where no page has any of them. */
export async function topicsAbout(words: string): Promise<string | null> {
  // Loaded only here, because no other command searches.
  const { HandbookSearch } = await import('../../plugins/docs/pages/search.ts');
  const search = await HandbookSearch.of(await readHandbook());
  const pages = new Set<HandbookPage>(search.find(words, maxParts).map(({ page }) => page));
  if (pages.size === 0) return null;
  const offered = [...pages].slice(0, maxOffered);
  const width = Math.max(...offered.map(({ topic }) => topic.length));
  const lines = offered.map(({ topic, title }) => `  ${topic.padEnd(width)}  ${title}`);
  return `These topics of the handbook are about it (horarium help TOPIC):\n${lines.join('\n')}`;
}

/** Lists the topics by section, for the end of the list of commands. @param width of the screen in characters. */
export async function listTopics(width: number): Promise<string> {
  const { sections } = await readHandbook();
  const column = Math.max(...sections.map(({ title }) => title.length));
  const lines = sections.flatMap(({ title, pages }) =>
    wrapWords(
      `  ${title.padEnd(column)}  `,
      pages.map(({ topic }) => topic),
      width,
    ),
  );
  return `\nTopics of the handbook (horarium help TOPIC prints one, help handbook all):\n${lines.join('\n')}\n`;
}
