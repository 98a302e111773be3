import type { FormatContext } from '@horarium/core';
import { expect } from 'chai';
import { formatCsv } from '../../plugins/format-csv/format-csv.ts';
import { formatHtml } from '../../plugins/format-html/format-html.ts';
import { formatJson } from '../../plugins/format-json/format-json.ts';
import { streamList } from '../support/formats/stream-list.ts';

const context: FormatContext = { kind: 'list', name: 'thing', plural: 'things', fields: null, links: null };

describe('Whole lists', () => {
  for (const format of [formatJson, formatCsv, formatHtml])
    it(`are written in ${format.suffix} page by page, and a page is read only once the one before was sent`, async () => {
      let read = 0;
      async function* pages() {
        for (; read < 5; ) yield [{ id: ++read }, { id: read + 100 }];
      }
      const pieces = format.writeList?.(pages(), context)[Symbol.asyncIterator]() as AsyncIterator<string>;
      for (let page = 1; page <= 5; page++) {
        const { value } = await pieces.next();
        expect(value)
          .to.include(`${page + 100}`)
          .and.not.to.include(`${page + 101}`);
        expect(read).to.equal(page);
      }
      await pieces.next();
      expect((await pieces.next()).done).to.equal(true);
    });

  it('are written as complete HTML pages even when they are empty', async () => {
    for (const pages of [[], [[]]])
      expect(await streamList(formatHtml, pages, context)).to.match(
        /^<!doctype html>[\s\S]*There is nothing here\.[\s\S]*<\/html>\n$/,
      );
  });
});
