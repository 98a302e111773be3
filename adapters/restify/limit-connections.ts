import type { Server } from 'node:net';
import { clientNetwork, unmapIpv4 } from '../http/security/networks.ts';

/**
 * Closes a connection at once where its client's network has `max` open ones already, so that no client can take all of
 * them.
 * @param exempt addresses of proxies, which connect for many clients.
 */
export function limitConnections(server: Server, max: number, exempt: (address: string) => boolean): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || exempt(address)) return;
    const network = clientNetwork(unmapIpv4(address));
    const count = open.get(network) ?? 0;
    if (count >= max) {
      socket.destroy();
      return;
    }
    open.set(network, count + 1);
    socket.once('close', () => {
      const remaining = (open.get(network) as number) - 1;
      if (remaining === 0) open.delete(network);
      else open.set(network, remaining);
    });
  });
}
