import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceRoot } from '../../house/source-files.ts';
import { withQuantities } from '../quantities/quantities-table.ts';
import { withPrograms } from './readme-programs.ts';
import { withTables } from './readme-tables.ts';

// Brings the tables and programs in the READMEs of both packages, and the tables in SECURITY.md, up to date: `npm run readme`.
for (const path of ['README.md', 'core/README.md']) {
  const readme = join(sourceRoot, path);
  writeFileSync(readme, withPrograms(withTables(readFileSync(readme, 'utf8'))));
}
const security = join(sourceRoot, 'SECURITY.md');
writeFileSync(security, await withQuantities(readFileSync(security, 'utf8')));
