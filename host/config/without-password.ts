/** An address without its password, for people to read. */
export function withoutPassword(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.:-]*:\/\/[^:@/]*):.*@/i, '$1:••••••••@')
    .replace(/([?&]password=)[^&]*/gi, '$1••••••••');
}
