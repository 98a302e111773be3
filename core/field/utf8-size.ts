const encoder = new TextEncoder();

/** Returns the size of a text in bytes of UTF-8. */
export function utf8Size(text: string): number {
  return encoder.encode(text).length;
}
