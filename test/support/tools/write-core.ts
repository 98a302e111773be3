import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sourceRoot } from '../../house/source-files.ts';
import { bundleCore } from '../packages/bundle-core.ts';

// Writes the core as it is published, and clears the folder of packed packages: `npm run bundle`, then `npm publish var/core`.
const [folder, packages] = ['var/core', 'var/packages'].map((path) => join(sourceRoot, path)) as [string, string];
for (const path of [folder, packages]) rmSync(path, { recursive: true, force: true });
mkdirSync(packages, { recursive: true });
await bundleCore(folder);
