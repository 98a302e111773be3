import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that accepts connections and never says anything. */
export class SilentServer {
  /** The open connections. */
  readonly sockets = new Set<Socket>();
  readonly #server = createServer((socket) => {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket)).on('error', () => undefined);
    // Only a socket that is read notices that its client is gone.
    socket.resume();
  });

  async listen(): Promise<this> {
    await once(this.#server.listen(0), 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}
