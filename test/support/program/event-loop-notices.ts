/**
 * Returns what a program wrote without its notices of a blocked event loop: a busy machine brings them about, whatever the
 * program does.
 */
export function withoutEventLoopNotices(text: string): string {
  return text.replace(/^The event loop was blocked for \d+ ms.*\n/gm, '');
}
