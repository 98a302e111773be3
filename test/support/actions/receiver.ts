import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type LoopbackServer, loopbackServer } from '../http/loopback-server.ts';

/** A request that arrived. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A web server that keeps what it is sent, and answers by the beginning of the path. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly #sockets = new Set<Socket>();
  #server!: LoopbackServer;

  async start(): Promise<this> {
    this.#server = await loopbackServer(async (request, response) => {
      const { method = '', url = '', headers, socket } = request;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      if (url.startsWith('/hangs')) return;
      const body = await text(request);
      if (url.startsWith('/redirect')) return void response.writeHead(302, { location: '/ok' }).end('moved');
      if (url.startsWith('/refuses'))
        return void response.writeHead(503).end(`not now, ${headers.authorization ?? ''}`);
      this.received.push({ method, path: url, headers: headers as Record<string, string>, body });
      response.end('thanks');
    });
    return this;
  }

  get origin(): string {
    return this.#server.origin;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}
