import { bundleHost } from '../packages/bundle-host.ts';

// The last step of the build: `npm run build`.
await bundleHost();
