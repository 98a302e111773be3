import { definePlugin } from '@horarium/core/plugin';
import { pingAddressCommand } from './address-command.ts';
import { addressRoutes } from './address-routes.ts';
import { pingFields } from './ping-fields.ts';
import { pingRoutes } from './ping-routes.ts';

/** Lets programs elsewhere report by one request, as they do to Healthchecks. */
export default definePlugin({
  name: 'pings',
  api: 1,
  fields: pingFields,
  commands: [pingAddressCommand],
  routes: () => [...pingRoutes, ...addressRoutes],
});
