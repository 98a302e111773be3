import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import type { HttpHandler } from '../../../host/http/index.ts';

/** A server that listens on a free port. */
export interface ListeningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens with a server whose own page is `/shop`, and which leaves everything beneath `/scheduler` to a handler. */
type OpenServer = (handler: HttpHandler) => Promise<ListeningServer>;

/** The servers that a program may embed the API in, each as its users mount a handler. */
export const embeddingServers: Readonly<Record<string, OpenServer>> = {
  'node:http'(handler) {
    return listen(createServer((request, response) => handler(request, response, () => response.end('the shop'))));
  },
  Express(handler) {
    const app = express().disable('x-powered-by');
    app.use('/scheduler', handler);
    app.get('/shop', (_request, response) => void response.send('the shop'));
    return listen(createServer(app));
  },
  async Fastify(handler) {
    const app = fastify();
    app.addHook('onRequest', (request, reply, done) => handler(request.raw, reply.raw, done));
    app.get('/shop', async () => 'the shop');
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    return { url, close: () => app.close() };
  },
};

export async function listen(server: Server): Promise<ListeningServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
