/** Why a message, a key, a text or a connection is refused: a sentence without any secret. */
export class WireError extends Error {
  override readonly name = 'WireError';
}
