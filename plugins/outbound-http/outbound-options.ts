import { texts } from '@horarium/core/plugin';

/** The plugin option of everything that sends requests for tenants. */
export const outboundOptions = {
  allowed_networks: texts(64, {
    description: 'Private addresses and CIDR blocks that requests may reach.',
  }),
};
