import type { Format } from '@horarium/core/plugin';
import { XMLBuilder } from 'fast-xml-parser';
import { rootElement } from './elements.ts';

const builder = new XMLBuilder({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  suppressEmptyNode: true,
  format: true,
  // Data is nested as deep as bodies may be, which is limited where they are read.
  maxNestedTags: 0,
});

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
  write(value, context) {
    const built: string = builder.build([rootElement(value, context)]);
    // A bare carriage return would be read as a line feed.
    return `<?xml version="1.0" encoding="UTF-8"?>${built.replaceAll('\r', '&#13;')}\n`;
  },
};
