import type { Format, FormatContext } from '@horarium/core';

/** Writes a list in a format that streams, page by page. */
export async function streamList(
  format: Format,
  pages: readonly (readonly unknown[])[],
  context: FormatContext,
): Promise<string> {
  async function* readPages() {
    yield* pages;
  }
  let text = '';
  for await (const piece of format.writeList?.(readPages(), context) ?? []) text += piece;
  return text;
}
