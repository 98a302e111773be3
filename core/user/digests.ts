/** PORT: randomness and one-way functions, all of them quick enough to be asked for at every request. */
export interface Digests {
  /** 256 bits from a cryptographic source, as text that URLs and headers take as it is. */
  random(): string;
  /** SHA-256 of the text's UTF-8, in hex. */
  sha256(text: string): string;
  /** A digest under a key that was made when the process began and that nobody else knows. */
  keyed(text: string): string;
}
