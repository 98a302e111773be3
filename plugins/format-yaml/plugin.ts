import { definePlugin } from '@horarium/core/plugin';
import { formatYaml } from './format-yaml.ts';

/** Writes responses in YAML. */
export default definePlugin({ name: 'format-yaml', api: 1, formats: [formatYaml] });
