import { definePlugin } from '@horarium/core/plugin';
import { crontabImporter } from './crontab-importer.ts';

/** Imports crontabs. */
export default definePlugin({ name: 'import-crontab', api: 1, importers: [crontabImporter] });
