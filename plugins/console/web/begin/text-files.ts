import { signal } from '@preact/signals';
import { words } from '../words/words.ts';

/** A file that is to be imported. */
export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** The files that were dropped on a page, until the form of their import takes them. */
export const dropped = signal<readonly TextFile[]>([]);

/** The most bytes that one may have, as the service takes them. */
const maxBytes = 1_000_000;

/** Reads files that a person has chosen. @throws Error that names one that is too large, or no text. */
export function readFiles(files: Iterable<File>): Promise<readonly TextFile[]> {
  return Promise.all([...files].map(readFile));
}

async function readFile(file: File): Promise<TextFile> {
  const text = words.value.begin;
  if (file.size > maxBytes) throw new Error(text.tooLarge(file.name));
  try {
    return { name: file.name, text: new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()) };
  } catch {
    throw new Error(text.notText(file.name));
  }
}

/** Tells by its text what a file is: an application definition is an object of JSON, a calendar says what it is. */
export function importOf({ text }: TextFile): string {
  if (text.trimStart().startsWith('{')) return 'app';
  return /^\s*BEGIN:VCALENDAR/i.test(text) ? 'calendar' : 'crontab';
}
