import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Tls } from '../../../adapters/restify/api-server.ts';

/** A PostgreSQL server that negotiates TLS, reads the startup message, and refuses every connection with an error. */
export class FakeTlsPostgres {
  /** The users of the startup messages that were received over TLS. */
  readonly users: string[] = [];
  port = 0;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  constructor({ certificate, key }: Tls) {
    this.#server = createServer((socket) => {
      this.#open.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        // The reply to an SSLRequest is one letter; TLS follows.
        socket.write('S');
        const secured = new TLSSocket(socket, { isServer: true, cert: certificate, key });
        secured.on('error', () => undefined);
        secured.once('data', (startup: Buffer) => {
          const parameters = startup.subarray(8).toString().split('\0');
          this.users.push(parameters[parameters.indexOf('user') + 1] ?? '');
          secured.end(errorResponse('hello from behind TLS'));
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

/** An ErrorResponse message of the protocol. */
function errorResponse(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
