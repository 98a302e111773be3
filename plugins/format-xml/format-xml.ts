import { createRequire } from 'node:module';
import type { Format, FormatContext } from '@horarium/core/plugin';
import type { XMLBuilder } from 'fast-xml-parser';
import { listName, rootElement } from './elements.ts';

const load = createRequire(import.meta.url);

/** Made when XML is first written, because its library is large, and few services write any. */
let builder: XMLBuilder | undefined;

function makeBuilder(): XMLBuilder {
  const { XMLBuilder } = load('fast-xml-parser') as typeof import('fast-xml-parser');
  return new XMLBuilder({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    suppressEmptyNode: true,
    format: true,
    // Data is nested as deep as bodies may be, which is limited where they are read.
    maxNestedTags: 0,
  });
}

/**
 * XML that can be read back as the very same data:
 *
 * - `<company>` around one record, `<companies>` around a list of them, `<problem>` around an error (RFC 9457,
 *   appendix B);
 * - a field is an element of its name; a key that is not a name for an element is `<entry key="…">`;
 * - text has no attribute; everything else says its `type`: `number`, `boolean`, `null`, `array`, `object` (an empty
 *   one); an object with something in it needs none;
 * - the elements of an array are called `item`, or as what they are: `job`;
 * - text with characters that XML cannot hold (control characters) has `encoding="json"` and is written as JSON
 *   writes texts; a key of that kind likewise, with `key-encoding="json"`.
 */
export const formatXml: Format = {
  suffix: 'xml',
  mime: 'application/xml; charset=utf-8',
  problemMime: 'application/problem+xml; charset=utf-8',
  rowsAtOnce: 100,
  write: (value, context) => `${declaration}${build(value, context)}\n`,
  async *writeList(pages, context) {
    const last = `\n</${listName(context)}>`;
    let isEmpty = true;
    for await (const rows of pages) {
      if (rows.length === 0) continue;
      const part = build(rows, context);
      // Each part is a whole list; only the first keeps the start tag, and none the end tag.
      const from = isEmpty ? 0 : part.indexOf('\n', 1);
      yield `${isEmpty ? declaration : ''}${part.slice(from, -last.length)}`;
      isEmpty = false;
    }
    yield isEmpty ? `${declaration}${build([], context)}\n` : `${last}\n`;
  },
};

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

/** Writes the root element, which begins on a line of its own. */
function build(value: unknown, context: FormatContext): string {
  builder ??= makeBuilder();
  const built: string = builder.build([rootElement(value, context)]);
  // A bare carriage return would be read as a line feed.
  return built.replaceAll('\r', '&#13;');
}
