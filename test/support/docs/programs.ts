import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { sourceRoot } from '../../house/source-files.ts';

const marked = /<!-- program (\S+) -->.*?<!-- \/program -->/gs;

/** Replaces each program that stands between `<!-- program PATH -->` and `<!-- /program -->` by the file at that path. */
export function withPrograms(markdown: string): string {
  return markdown.replace(marked, (_, path: string) => {
    const program = readFileSync(join(sourceRoot, path), 'utf8').trimEnd();
    return `<!-- program ${path} -->\n\n\`\`\`${extname(path).slice(1)}\n${program}\n\`\`\`\n\n<!-- /program -->`;
  });
}

/** Lists the paths of the programs in a document, in order. */
export function programsIn(markdown: string): string[] {
  return [...markdown.matchAll(marked)].map(([, path]) => path as string);
}
