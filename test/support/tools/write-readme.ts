import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceRoot } from '../../house/source-files.ts';
import { withPrograms } from './readme-programs.ts';
import { withTables } from './readme-tables.ts';

// Brings the tables and programs in the READMEs of both packages up to date: `npm run readme`.
for (const path of ['README.md', 'core/README.md']) {
  const readme = join(sourceRoot, path);
  writeFileSync(readme, withPrograms(withTables(readFileSync(readme, 'utf8'))));
}
