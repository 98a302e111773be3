import { connect, type Socket } from 'node:net';

/**
 * A connection that is kept and asked one thing after the other. It reads of an answer only where it ends and whether
 * it is one of success, so that what is measured is the server: Node's own client costs more than a bare server.
 */
export class Connection {
  readonly #socket: Socket;
  #head: Buffer | null = null;
  /** Bytes of the body that are still to come; null while the headers are read. */
  #missing: number | null = null;
  #status = 0;
  #settle: { resolve(): void; reject(error: Error): void } | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error('The server closed the connection.')));
  }

  /** @param origin `http://127.0.0.1:8080` */
  static open(origin: string): Promise<Connection> {
    const { hostname, port } = new URL(origin);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new Connection(socket)));
    });
  }

  /** Resolves when the whole answer is there. @throws Error for an answer that is none of success. */
  ask(request: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#settle = null;
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    if (this.#missing === null) this.#readHead(this.#head ? Buffer.concat([this.#head, bytes]) : bytes);
    else this.#missing -= bytes.length;
    if (this.#missing === null || this.#missing > 0) return;
    this.#missing = null;
    this.#end(this.#status >= 300 ? new Error(`The server answered with ${this.#status}.`) : null);
  }

  #readHead(head: Buffer): void {
    const end = head.indexOf('\r\n\r\n');
    this.#head = end < 0 ? head : null;
    if (end < 0) return;
    const text = head.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    this.#status = Number(text.slice(9, 12));
    if (length === undefined) this.#end(new Error('An answer does not say how long it is.'));
    else this.#missing = Number(length) - (head.length - end - 4);
  }

  #end(error: Error | null): void {
    const settle = this.#settle;
    this.#settle = null;
    if (error) settle?.reject(error);
    else settle?.resolve();
  }
}
