import { readHandbook, readPage } from '../../plugins/docs/pages/handbook.ts';
import { terminalText } from '../../plugins/docs/pages/terminal-text.ts';

/** Returns the page of the handbook on a topic, as a terminal shows it; null where there is none of that name. */
export async function helpOnTopic(topic: string): Promise<string | null> {
  const handbook = await readHandbook();
  const page = handbook.pages.find((each) => topic === each.topic || topic === each.path);
  return page ? terminalText(handbook, page, await readPage(page)) : null;
}

/** Whether the handbook has a page of that name. */
export async function hasTopic(topic: string): Promise<boolean> {
  return (await readHandbook()).pages.some((each) => topic === each.topic);
}

/** Lists the topics by section, for the end of the list of commands. */
export async function listTopics(): Promise<string> {
  const { sections } = await readHandbook();
  const width = Math.max(...sections.map(({ title }) => title.length));
  const lines = sections.map(({ title, pages }) => {
    return `  ${title.padEnd(width)}  ${pages.map(({ topic }) => topic).join(' ')}`;
  });
  return `\nTopics of the handbook (horarium help TOPIC; the service shows it under /docs):\n${lines.join('\n')}\n`;
}
