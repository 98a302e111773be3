/** The end of a stream that is held back, addressed by positions in the stream. */
export class HeldBytes {
  #buffer = new Uint8Array(0);
  /** The position of the first byte of the buffer. */
  #origin = 0;
  #start = 0;
  #end = 0;

  /** The position of the first held byte. */
  get start(): number {
    return this.#start;
  }

  /** The position behind the last held byte. */
  get end(): number {
    return this.#end;
  }

  /** Appends bytes at the end. */
  append(bytes: Uint8Array): void {
    if (this.#end - this.#origin + bytes.length > this.#buffer.length) this.#makeRoom(bytes.length);
    this.#buffer.set(bytes, this.#end - this.#origin);
    this.#end += bytes.length;
  }

  /** Returns the held bytes between two positions, without copying them. */
  view(from: number, to: number): Uint8Array {
    return this.#buffer.subarray(from - this.#origin, to - this.#origin);
  }

  /** Forgets what is in front of a position. */
  release(until: number): void {
    this.#start = until;
  }

  /** Makes so much room that the bytes that are moved now are moved again only after as many others were appended. */
  #makeRoom(size: number): void {
    const held = this.view(this.#start, this.#end);
    const needed = 2 * (held.length + size);
    if (needed <= this.#buffer.length) this.#buffer.copyWithin(0, held.byteOffset, held.byteOffset + held.length);
    else {
      const larger = new Uint8Array(needed);
      larger.set(held);
      this.#buffer = larger;
    }
    this.#origin = this.#start;
  }
}
