import { definePlugin } from '@horarium/core/plugin';
import { formatCsv } from './format-csv.ts';

/** Writes responses in CSV. */
export default definePlugin({ name: 'format-csv', api: 1, formats: [formatCsv] });
