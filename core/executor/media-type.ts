/** A media type without parameters (RFC 6838). */
export const mediaTypePattern = /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$/;

/** The declared media type in lower case; null when the declaration is none. */
export function declaredMediaType(declared: string | null | undefined): string | null {
  return declared && mediaTypePattern.test(declared) ? declared.toLowerCase() : null;
}
