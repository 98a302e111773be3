import { defineEventSourceKind, definePlugin, text } from '@horarium/core/plugin';
import { webhookSecret } from '../standard-webhooks/standard-webhooks.ts';
import { hookRoute, webhookKind } from './hook-route.ts';

const secret = (description: string) =>
  text(100, { secret: 'encrypted', description }).matches(webhookSecret, {
    message: ({ path }: { path: string }) => `${path} must be whsec_ and 24 to 64 bytes in base64`,
    excludeEmptyString: false,
  });

/** Event sources that others send events to: `POST /hook/{name}`, signed as Standard Webhooks says. */
export default definePlugin({
  name: 'event-source-webhook',
  api: 1,
  eventSourceKinds: () => [
    defineEventSourceKind({
      name: webhookKind,
      options: {
        secret: secret('The key that the sender signs with: whsec_ and 24 to 64 bytes in base64.').required(),
        previous_secret: secret('The key before it, which is accepted too while the sender changes over.'),
      },
      // There is nothing to connect to.
      probe: async () => {},
    }),
  ],
  routes: () => [hookRoute],
});
