// The 128-bit parameters of the FNV-1a hash.
const offset = 0x6c62272e07bb014262b821756295c58dn;
const prime = 0x0000000001000000000000000000013bn;
const mask = (1n << 128n) - 1n;

/**
 * Derives an id from parts that identify a thing: 32 hex digits, the same for the same parts wherever and whenever. It
 * is not protection: collisions can be constructed.
 */
export function stableId(parts: readonly unknown[]): string {
  let hash = offset;
  for (const byte of new TextEncoder().encode(JSON.stringify(parts))) hash = ((hash ^ BigInt(byte)) * prime) & mask;
  return hash.toString(16).padStart(32, '0');
}

/** Writes the stable id of the parts as a UUID of version 8, whose bits RFC 9562 leaves to the application. */
export function stableUuid(parts: readonly unknown[]): string {
  const id = stableId(parts);
  const variant = ((Number.parseInt(id.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${id.slice(0, 8)}-${id.slice(8, 12)}-8${id.slice(13, 16)}-${variant}${id.slice(17, 20)}-${id.slice(20)}`;
}
