import { definePlugin } from '@horarium/core/plugin';
import { appImporter } from './app-importer.ts';
import { exportCommand } from './export-command.ts';

/** Imports and exports application definition files. */
export default definePlugin({
  name: 'import-app-definition',
  api: 1,
  importers: [appImporter],
  commands: [exportCommand],
});
