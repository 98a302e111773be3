import { readFileSync, writeFileSync } from 'node:fs';
import { withSettings } from './readme-settings.ts';

// Brings the table of settings in the README up to date: `npm run readme`.
const readme = new URL('../../../../README.md', import.meta.url);
writeFileSync(readme, withSettings(readFileSync(readme, 'utf8')));
