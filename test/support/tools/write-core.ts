import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sourceRoot } from '../../house/source-files.ts';
import { bundleCore } from '../packages/bundle-core.ts';

// Writes the core as it is published: `npm run bundle`, then `npm publish var/core`.
const folder = join(sourceRoot, 'var/core');
rmSync(folder, { recursive: true, force: true });
await bundleCore(folder);
