import { bundleConsole } from '../packages/bundle-console.ts';
import { bundleHost } from '../packages/bundle-host.ts';
import { writeManualPage } from '../packages/manual-page.ts';

// The last step of the build: `npm run build`.
await Promise.all([bundleConsole(), bundleHost(), writeManualPage()]);
