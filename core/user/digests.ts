/** PORT: randomness and one-way functions, all of them fast enough for every request. */
export interface Digests {
  /** 256 bits from a cryptographic source, as text that URLs and headers take as it is. */
  random(): string;
  /** SHA-256 of the text's UTF-8, in hex. */
  sha256(text: string): string;
  /** A digest under a key that is generated when the process starts and never leaves it. */
  keyed(text: string): string;
}
