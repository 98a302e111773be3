import { connect, type Socket } from 'node:net';

/**
 * A persistent connection that sends one request at a time. It parses only the status and the length of a response,
 * because the HTTP client of Node would take more CPU time than a bare server.
 */
export class Connection {
  readonly #socket: Socket;
  #head: Buffer | null = null;
  /** The number of bytes of the body that have not arrived; null while the head is read. */
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

  /** Resolves when the whole response has arrived. @throws Error for a status of 300 or more. */
  send(request: Buffer): Promise<void> {
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
    if (length === undefined) this.#end(new Error('A response has no Content-Length.'));
    else this.#missing = Number(length) - (head.length - end - 4);
  }

  #end(error: Error | null): void {
    const settle = this.#settle;
    this.#settle = null;
    if (error) settle?.reject(error);
    else settle?.resolve();
  }
}
