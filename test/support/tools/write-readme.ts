import { readFileSync, writeFileSync } from 'node:fs';
import { withTables } from './readme-tables.ts';

// Brings the glossary and the table of settings in the README up to date: `npm run readme`.
const readme = new URL('../../../../README.md', import.meta.url);
writeFileSync(readme, withTables(readFileSync(readme, 'utf8')));
