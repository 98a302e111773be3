/** The kinds of frames: a control message as JSON, bytes that a job wrote, or a line in the place of those dropped. */
export const FrameKind = { message: 0, stdout: 1, stderr: 2, stdoutCut: 3, stderrCut: 4 } as const;

/** A frame of the protocol between server and launcher. `attempt` is 0 where it concerns no attempt in particular. */
export interface Frame {
  readonly kind: number;
  readonly attempt: number;
  readonly payload: Buffer;
}

/** Length of the payload (4 bytes), number of the attempt (4 bytes), kind (1 byte). */
const headerLength = 9;

/** Encodes a frame. The payload is copied, so its buffer may be used again at once. */
export function encodeFrame(kind: number, attempt: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headerLength + payload.length);
  writeHeader(frame, kind, attempt, payload.length);
  frame.set(payload, headerLength);
  return frame;
}

/** Encodes a control message as a frame. */
export function encodeMessage(attempt: number, message: object): Buffer {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headerLength + length);
  writeHeader(frame, FrameKind.message, attempt, length);
  frame.write(text, headerLength);
  return frame;
}

function writeHeader(frame: Buffer, kind: number, attempt: number, length: number): void {
  frame.writeUInt32LE(length, 0);
  frame.writeUInt32LE(attempt, 4);
  frame.writeUInt8(kind, 8);
}

/** Cuts a stream of bytes into frames, wherever the chunks happen to end. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #buffered = 0;
  #needed = headerLength;

  /** Decodes the frames that the chunk completes. Their payloads share memory with the chunks they came in. */
  *push(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered < this.#needed) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    let at = 0;
    this.#needed = headerLength;
    while (bytes.length - at >= headerLength) {
      const end = at + headerLength + bytes.readUInt32LE(at);
      if (end > bytes.length) {
        this.#needed = end - at;
        break;
      }
      yield {
        kind: bytes.readUInt8(at + 8),
        attempt: bytes.readUInt32LE(at + 4),
        payload: bytes.subarray(at + headerLength, end),
      };
      at = end;
    }
    this.#chunks = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#buffered = bytes.length - at;
  }
}
