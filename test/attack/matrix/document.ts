import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceRoot } from '../../house/source-files.ts';

const text = readFileSync(join(sourceRoot, 'SECURITY.md'), 'utf8');

/** Returns a section of SECURITY.md without its heading. */
function section(heading: string): string {
  return text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
}

/** Returns the rows of the table in a section of SECURITY.md: their cells, without the heading of the table. */
export function tableRows(heading: string): readonly (readonly string[])[] {
  const lines = section(heading)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Returns the parts of a section of SECURITY.md: the heading of each, and the items of its list. */
export function listedParts(heading: string): readonly (readonly string[])[] {
  const [, ...parts] = section(heading).split('\n### ');
  return parts.map((part) => {
    const [name = '', ...lines] = part.split('\n');
    return [name, ...itemsOf(lines.join('\n').trim())];
  });
}

/** Returns the items of the list in a section of SECURITY.md, each on one line. */
export function listItems(heading: string): readonly string[] {
  return itemsOf(section(heading));
}

function itemsOf(markdown: string): string[] {
  const list = markdown.split(/\n\n(?!\* )/)[0] ?? '';
  return list
    .split(/^\* /m)
    .slice(1)
    .map((item) => item.trim().replace(/\s+/g, ' '));
}

/** Returns the attacker whom an item of the list "What an attacker can do at most" begins with. */
export function attackerOf(item: string): string {
  return /^\*\*(.*?)\*\*/.exec(item)?.[1] ?? item;
}
