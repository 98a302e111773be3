import { expect } from 'chai';
import fc from 'fast-check';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { formatYaml } from '../../../plugins/format-yaml/format-yaml.ts';
import { anyRecord } from '../../support/formats/arbitrary-data.ts';

const yaml = (value: unknown) =>
  formatYaml.write(value, { kind: 'item', name: 'thing', fields: null, links: null }) as string;

describe('YAML', () => {
  it('writes block style without aliases, and quotes only where a type would be mistaken', () => {
    const shared = { A: '1' };
    const task = {
      id: 7,
      name: 'no',
      window_start: '2026-11-21T05:00:00.000Z',
      reason: null,
      stdout: 'one\ntwo\n',
      tags: ['a b', ''],
      topics: [],
      settings: {},
      first: shared,
      second: shared,
    };
    expect(yaml(task)).to.equal(`id: 7
name: "no"
window_start: "2026-11-21T05:00:00.000Z"
reason: null
stdout: |
  one
  two
tags:
  - a b
  - ""
topics: []
settings: {}
first:
  A: "1"
second:
  A: "1"
`);
  });

  it('writes data that readers of YAML 1.2 and 1.1 read back unchanged', () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 3 }), (rows) => {
        expect(load(yaml(rows))).to.deep.equal(rows);
        expect(load(yaml(rows), { schema: YAML11_SCHEMA })).to.deep.equal(rows);
        for (const row of rows) expect(load(yaml(row))).to.deep.equal(row);
      }),
      { numRuns: 300 },
    );
  });
});
