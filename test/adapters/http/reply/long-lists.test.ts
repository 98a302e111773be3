import type { Format } from '@horarium/core';
import { expect } from 'chai';
import { writeReply } from '../../../../adapters/http/reply/write-reply.ts';
import { formatXml } from '../../../../plugins/format-xml/format-xml.ts';
import { formatYaml } from '../../../../plugins/format-yaml/format-yaml.ts';
import { inSingleSteps } from '../../../support/clocks/single-steps.ts';

const shape = { kind: 'list', name: 'thing', plural: 'things', fields: null } as const;
const links = { parents: [], actions: [], list: null } as never;
const things = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `thing ${id}`, state: null }));

for (const format of [formatXml, formatYaml])
  describe(`A long list in ${format.suffix}`, () => {
    it('is the text that the format writes at once, but other work is done between its pieces', async () => {
      const value = things(350);
      let pieces = 0;
      const counted: Format = {
        ...format,
        async *writeList(pages, context) {
          for await (const piece of format.writeList?.(pages, context) ?? []) {
            pieces += 1;
            yield piece;
          }
        },
      };
      const write = () => writeReply({ shape, value }, counted, links, () => {});
      const { result, turns } = await inSingleSteps(write);
      expect(String(result.body)).to.equal(format.write(value, { ...shape, links }));
      expect(pieces).to.be.at.least(4);
      expect(turns).to.be.at.least(3);
    });
  });
