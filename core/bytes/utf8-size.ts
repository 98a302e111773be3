const encoder = new TextEncoder();
/** Up to this length looking at each character is faster than encoding them. */
const short = 100;

/** Returns the size of a text in bytes of UTF-8. */
export function utf8Size(text: string): number {
  return text.length <= short && isAscii(text) ? text.length : encoder.encode(text).length;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
