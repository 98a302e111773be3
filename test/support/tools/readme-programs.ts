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

/** The chapter of the README for those who embed the core. */
export interface EmbeddingChapter {
  readonly text: string;
  /** The paths of its programs, in order. */
  readonly programs: readonly string[];
  /** Its commands, in order. */
  readonly commands: readonly string[];
}

export function readEmbeddingChapter(): EmbeddingChapter {
  const readme = readFileSync(join(sourceRoot, 'README.md'), 'utf8');
  const [, text = ''] = /^## Embed it\n(.*?)^## /ms.exec(readme) ?? [];
  return {
    text,
    programs: [...text.matchAll(marked)].map(([, path]) => path as string),
    commands: [...text.matchAll(/^ {4}\$ (.+)$/gm)].map(([, command]) => command as string),
  };
}
