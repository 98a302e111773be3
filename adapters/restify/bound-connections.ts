import type { Server } from 'node:net';
import { clientNetwork } from '@horarium/core';
import { withoutMapping } from '../http/security/transport.ts';

/**
 * Closes at once each connection that is one too many from its address (of IPv6: from its /64), so that nobody can
 * take all of them.
 * @param exempt addresses that speak for many: proxies.
 */
export function boundConnections(server: Server, most: number, exempt: (address: string) => boolean): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || exempt(address)) return;
    const network = clientNetwork(withoutMapping(address));
    const count = open.get(network) ?? 0;
    if (count >= most) {
      socket.destroy();
      return;
    }
    open.set(network, count + 1);
    socket.once('close', () => {
      const left = (open.get(network) as number) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}
