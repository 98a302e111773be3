import type { FormatContext } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { formatJson } from '../../../plugins/format-json/format-json.ts';
import { anyRecord } from '../../support/formats/arbitrary-data.ts';
import { streamList } from '../../support/formats/stream-list.ts';

const context: FormatContext = { kind: 'list', name: 'thing', fields: null, links: null };

const streamed = (pages: readonly (readonly unknown[])[]) => streamList(formatJson, pages, context);

describe('JSON', () => {
  it('writes data without white space, and ends it with a line feed', () => {
    expect(formatJson.write({ a: [1, null] }, context)).to.equal('{"a":[1,null]}\n');
  });

  it('streams a list as one array, whatever the number of its pages, empty ones included', async () => {
    expect([await streamed([]), await streamed([[]]), await streamed([[], []])]).to.deep.equal([
      '[]\n',
      '[]\n',
      '[]\n',
    ]);
    expect(await streamed([[], [{ a: 1 }, {}], [], [{ a: 2 }]])).to.equal('[{"a":1},\n{},\n{"a":2}]\n');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(anyRecord, { maxLength: 2 }), { maxLength: 3 }), async (pages) => {
        expect(JSON.parse(await streamed(pages))).to.deep.equal(JSON.parse(JSON.stringify(pages.flat())));
      }),
    );
  });
});
