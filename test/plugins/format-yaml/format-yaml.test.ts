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

  it('writes a large mapping in pieces, which together are what it writes at once', () => {
    const context = { kind: 'item', name: 'thing', fields: null, links: null } as const;
    const inPieces = (value: unknown) => [...(formatYaml.writePieces?.(value, context) ?? [])];
    const paths = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [
        `/app/{id}/${index}`,
        { get: { a: [index], text: 'a\n\nb' }, post: {} },
      ]),
    );
    const large = { openapi: '3.1.0', paths, components: { schemas: paths, no: null, none: {} } };
    expect(inPieces(large).join('')).to.equal(yaml(large));
    expect(Math.max(...inPieces(large).map(({ length }) => length))).to.be.below(150);
    fc.assert(
      fc.property(anyRecord, anyRecord, (one, other) => {
        const value = { one, other: { one, other }, deep: { deeper: { one: { other } } } };
        expect(inPieces(value).join('')).to.equal(yaml(value));
      }),
      { numRuns: 200 },
    );
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
