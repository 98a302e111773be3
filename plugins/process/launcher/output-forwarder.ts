import { Socket } from 'node:net';
import { encodeFrame, FrameKind } from '../frames.ts';
import { type LauncherSettings, outputWindow } from '../messages.ts';

/** The buffer that all pipes are read into. Its content is sent, which copies it, or dropped, before the next read. */
const readBuffer = Buffer.allocUnsafe(64 * 1024);
const newline = 0x0a;
const pollInterval = 25;

/** The output of one job. It is sent as fast as the server stores it, up to a limit; the rest is read and dropped. */
export class OutputForwarder {
  readonly #attempt: number;
  readonly #limit: number;
  readonly #cutMark: string;
  readonly #send: (frame: Buffer) => void;
  readonly #open = new Set<Socket>();
  #sent = 0;
  #waiting = 0;
  #cut = false;
  #onClosed: (() => void) | null = null;

  constructor(
    attempt: number,
    { maxOutput, outputCut }: Pick<LauncherSettings, 'maxOutput' | 'outputCut'>,
    send: (frame: Buffer) => void,
  ) {
    this.#attempt = attempt;
    this.#limit = maxOutput;
    this.#cutMark = outputCut;
    this.#send = send;
  }

  /** Reads a pipe's end, or a socket that Node made for the job. */
  attach(kind: typeof FrameKind.stdout | typeof FrameKind.stderr, source: number | Socket): void {
    const cutKind = kind === FrameKind.stdout ? FrameKind.stdoutCut : FrameKind.stderrCut;
    let last = newline;
    const take = (bytes: Buffer): boolean => {
      const room = Math.max(0, this.#limit - this.#sent);
      if (room > 0) this.#forward(kind, bytes.subarray(0, room));
      if (bytes.length > room && !this.#cut) {
        this.#cut = true;
        if (room > 0) last = bytes[room - 1] as number;
        this.#forward(cutKind, Buffer.from(`${last === newline ? '' : '\n'}${this.#cutMark}\n`));
      }
      last = bytes.at(-1) as number;
      return !this.paused;
    };
    let socket: Socket;
    if (typeof source === 'number') {
      const callback = (length: number) => take(readBuffer.subarray(0, length));
      socket = new Socket({ fd: source, readable: true, writable: false, onread: { buffer: readBuffer, callback } });
      socket.resume();
    } else {
      socket = source;
      socket.on('data', (bytes: Buffer) => {
        if (!take(bytes)) socket.pause();
      });
    }
    this.#open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size === 0) this.#onClosed?.();
    });
  }

  /** Whether the job has to wait until the server has stored more. */
  get paused(): boolean {
    return !this.#cut && this.#waiting >= outputWindow;
  }

  credit(bytes: number): void {
    const wasPaused = this.paused;
    this.#waiting -= bytes;
    if (wasPaused && !this.paused) for (const socket of this.#open) socket.resume();
  }

  /** Waits until all pipes are closed; time in which the output is paused does not count. @returns false on timeout. */
  closed(timeout: number): Promise<boolean> {
    if (this.#open.size === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      let waited = 0;
      const timer = setInterval(() => {
        if (!this.paused) waited += pollInterval;
        if (waited >= timeout) finish(false);
      }, pollInterval);
      const finish = (closed: boolean) => {
        clearInterval(timer);
        this.#onClosed = null;
        resolve(closed);
      };
      this.#onClosed = () => finish(true);
    });
  }

  /** Stops reading. */
  abandon(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #forward(kind: number, bytes: Buffer): void {
    this.#sent += bytes.length;
    this.#waiting += bytes.length;
    this.#send(encodeFrame(kind, this.#attempt, bytes));
  }
}
