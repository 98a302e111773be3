import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Tls } from '../../../adapters/restify/secure-context.ts';

/** A web server on an address of this machine, which counts its connections. */
export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:4711` */
  readonly origin: string;
  /** How many connections were made to it. */
  connections(): number;
}

/** Starts a web server on any free port. @param address one of 127.0.0.0/8 or ::1. */
export async function loopbackServer(
  listener: RequestListener,
  { address = '127.0.0.1', port = 0, tls }: { address?: string; port?: number; tls?: Tls } = {},
): Promise<LoopbackServer> {
  const server = tls ? createTlsServer({ cert: tls.certificate, key: tls.key }, listener) : createServer(listener);
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(port, address, resolve));
  const bound = (server.address() as AddressInfo).port;
  const host = address.includes(':') ? `[${address}]` : address;
  return {
    port: bound,
    origin: `http${tls ? 's' : ''}://${host}:${bound}`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
