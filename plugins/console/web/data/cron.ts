import { signal } from '@preact/signals';
import { words } from '../words/words.ts';
import { read } from './request.ts';

/** The words of cron patterns by language and pattern; null = there are none. */
const known = signal<ReadonlyMap<string, string | null>>(new Map());
const asked = new Set<string>();
let wanted: string[] = [];

const maxPatterns = 100;

/** A cron pattern in words, which the service knows: with all others that a view shows. @returns null until it is known. */
export function cronWords(cron: string): string | null {
  const key = `${words.value.cronLanguage} ${cron}`;
  const text = known.value.get(key);
  if (text === undefined && !asked.has(key)) {
    asked.add(key);
    if (wanted.length === 0) queueMicrotask(readWanted);
    wanted.push(cron);
  }
  return text ?? null;
}

function readWanted(): void {
  const patterns = wanted;
  wanted = [];
  for (let start = 0; start < patterns.length; start += maxPatterns)
    void readSome(patterns.slice(start, start + maxPatterns), words.value.cronLanguage);
}

async function readSome(patterns: readonly string[], language: string): Promise<void> {
  try {
    const answer = await read<readonly { readonly cron: string; readonly words: string | null }[]>('/console/cron', {
      cron: patterns.join(';'),
      language,
    });
    known.value = new Map([
      ...known.peek(),
      ...answer.map(({ cron, words: text }) => [`${language} ${cron}`, text] as const),
    ]);
  } catch {
    // The pattern itself is shown then.
  }
}
