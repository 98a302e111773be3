/** How many bytes are converted at once: a call takes as many arguments. */
const pieceSize = 8192;

/** Writes bytes in base64 (RFC 4648). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += pieceSize)
    text += String.fromCharCode(...bytes.subarray(at, at + pieceSize));
  return btoa(text);
}

/** Reads bytes from base64. @throws DOMException for other text. */
export function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
