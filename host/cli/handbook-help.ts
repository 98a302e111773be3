import { readHandbook, readPage } from '../../plugins/docs/pages/handbook.ts';
import { terminalText } from '../../plugins/docs/pages/terminal-text.ts';

/** Returns the page of the handbook on a topic, as a terminal shows it; null where there is none of that name. */
export async function helpOnTopic(topic: string): Promise<string | null> {
  const handbook = await readHandbook();
  const page = handbook.pages.find((each) => topic === each.topic || topic === each.path);
  return page ? terminalText(handbook, page, await readPage(page)) : null;
}

/** Lists the topics by section, for the end of the list of commands. */
export async function topicList(): Promise<string> {
  const { sections } = await readHandbook();
  const lines = sections.map(({ title, pages }) => `  ${title}: ${pages.map(({ topic }) => topic).join(', ')}`);
  return `\nThe handbook (horarium help TOPIC; the service shows it under /docs):\n${lines.join('\n')}\n`;
}

/** Finds the topics whose pages have the words, the best first, at most five. */
export async function topicsAbout(words: string): Promise<string[]> {
  const { HandbookSearch } = await import('../../plugins/docs/pages/search.ts');
  const parts = (await HandbookSearch.of(await readHandbook())).find(words, 20);
  return [...new Set(parts.map(({ page }) => page.topic))].slice(0, 5);
}
