import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Tls } from '../../../adapters/restify/api-server.ts';

/** A server with the start of PostgreSQL's protocol: it negotiates TLS, reads the user and refuses the connection. */
export class TlsPostgres {
  /** The user names that it has read over TLS. */
  readonly asked: string[] = [];
  port = 0;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  constructor({ certificate, key }: Tls) {
    this.#server = createServer((socket) => {
      this.#open.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        // The response to an SSLRequest is one letter; TLS follows.
        socket.write('S');
        const secured = new TLSSocket(socket, { isServer: true, cert: certificate, key });
        secured.on('error', () => undefined);
        secured.once('data', (startup: Buffer) => {
          const words = startup.subarray(8).toString().split('\0');
          this.asked.push(words[words.indexOf('user') + 1] ?? '');
          secured.end(refusal('hello from behind TLS'));
        });
      });
    });
  }

  async listen(): Promise<this> {
    this.#server.listen(0);
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
  }
}

/** An ErrorResponse with its severity and message. */
function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
