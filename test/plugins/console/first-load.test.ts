import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sourceRoot } from '../../house/source-files.ts';

const folder = join(sourceRoot, 'dist/console');
const limit = 80_000;

/** Adds a file that the first page needs to the others, and what it imports at once. */
function addWithImports(file: string, files: Set<string>): void {
  if (files.has(file)) return;
  files.add(file);
  const text = readFileSync(join(folder, file), 'utf8');
  for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g))
    addWithImports(imported, files);
}

describe('The first load of the console', () => {
  it('takes at most 80 kB, compressed by gzip', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const files = new Set(['index.html']);
    for (const [, file = ''] of page.matchAll(/(?:href|src)="([\w-]+\.(?:css|js|svg))"/g)) addWithImports(file, files);
    expect(files.size).to.be.greaterThan(3);
    const sizes = [...files].map((file) => statSync(join(folder, `${file}.gz`)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.at.most(limit);
  });
});
