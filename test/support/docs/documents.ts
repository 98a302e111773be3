import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceRoot } from '../../house/source-files.ts';
import { withTables } from './document-tables.ts';
import { withPrograms } from './programs.ts';

/** The folder of the handbook. */
export const handbookPath = 'plugins/docs/handbook';

/** The documents for people, by their paths: both READMEs, the page on security, and the pages of the handbook. */
export function documentPaths(): string[] {
  const pages = readdirSync(join(sourceRoot, handbookPath), { recursive: true, encoding: 'utf8' });
  const markdown = pages.filter((name) => name.endsWith('.md')).sort();
  return ['README.md', 'core/README.md', 'SECURITY.md', ...markdown.map((name) => join(handbookPath, name))];
}

export function readDocument(path: string): string {
  return readFileSync(join(sourceRoot, path), 'utf8');
}

/** @returns a document with the tables and programs that follow from the code as they are now. */
export async function upToDate(markdown: string): Promise<string> {
  return withPrograms(await withTables(markdown));
}
