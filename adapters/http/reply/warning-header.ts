const maxWarnings = 10;
const maxLength = 300;

/**
 * Builds the header with the warnings of a save, as Kubernetes does: the code 299 and a quoted text for each (RFC 7234). It is
 * short enough for every client, and holds only what a header can.
 */
export function warningHeader(warnings: readonly string[] = []): Readonly<Record<string, string>> {
  const different = [...new Set(warnings)];
  const more = different.length - maxWarnings;
  const shown = more > 0 ? [...different.slice(0, maxWarnings), `and ${more} more`] : different;
  return shown.length > 0 ? { Warning: shown.map((text) => `299 - "${quotable(text)}"`).join(', ') } : {};
}

function quotable(text: string): string {
  const visible = text.slice(0, maxLength).replace(/[^\x20-\x7e]/g, '?');
  return visible.replace(/["\\]/g, '\\$&');
}
