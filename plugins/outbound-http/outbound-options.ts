import { texts } from '@horarium/core/plugin';

/** The plugin option of everything that sends requests for tenants. */
export const outboundOptions = {
  allowed_networks: texts(64, {
    description: 'Addresses and CIDR blocks that requests may reach although they are not public.',
  }),
};
