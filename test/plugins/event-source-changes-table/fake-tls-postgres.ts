import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** The error with which the server refuses every connection. */
export const refusalOverTls = 'refused over TLS';

/** A server that speaks the start of PostgreSQL's protocol: it negotiates TLS, reads the startup message and refuses. */
export class FakeTlsPostgres {
  /** The users of the startup messages that were received over TLS. */
  readonly users: string[] = [];
  port = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor({ certificate, key }: { readonly certificate: string; readonly key: string }) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        // The data is an SSLRequest: S accepts it, and TLS follows.
        socket.write('S');
        const tlsSocket = new TLSSocket(socket, { isServer: true, cert: certificate, key });
        tlsSocket.on('error', () => undefined);
        tlsSocket.once('data', (startup: Buffer) => {
          // After the length and the version come names and values in turn.
          const parameters = startup.subarray(8).toString().split('\0');
          this.users.push(parameters[parameters.indexOf('user') + 1] ?? '');
          tlsSocket.end(errorResponse(refusalOverTls));
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
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

/** Builds an ErrorResponse message of PostgreSQL's protocol. */
function errorResponse(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0M${message}\0\0`);
  const header = Buffer.from('E\0\0\0\0');
  header.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([header, fields]);
}
