import { expect } from 'chai';
import fc from 'fast-check';
import { maxPlanned, PlanningBudget } from '#core/event/rule/planning-budget';
import { columnParser, fanOut, parseSelector, type Selectable, select } from '#core/event/rule/selector';

const budget = () => new PlanningBudget();

const change: Selectable = {
  parse: columnParser(),
  columns: { recordid: 7, externalids: '{"shop": {"ids": [1, "two", null]}}', 'a b': 'x', none: null },
  document: () => change.columns,
  files: () => {
    throw new Error('a source leaves no files');
  },
};
const file = (id: number) => ({ id, filename: `${id}.txt`, size: 1 });
const end: Selectable = {
  parse: columnParser(),
  columns: { exit_code: 3, job_id: 12 },
  document: () => ({ dump: { database: 'shop', parts: [{ n: 1 }, { n: 2 }] }, 'odd.name': { x: true } }),
  files: (name) => (name === 'dump' ? [file(5)] : [file(8), file(9)]),
};

describe('Selectors of event rules', () => {
  for (const [selector, expected] of [
    ['recordid', '7'],
    ['a b', 'x'],
    ['none', null],
    ['$.recordid', '7'],
    ['$.externalids.shop.ids[1]', 'two'],
    ['$.externalids.shop.ids[2]', null],
    ['$.externalids.shop.ids', ['1', 'two', '']],
    ['$.externalids["shop"].ids[*]', ['1', 'two', '']],
    ['$.externalids.shop', '{"ids":[1,"two",null]}'],
  ] as const)
    it(`read ${selector} of a change`, () =>
      expect(select(parseSelector(selector, false), change, budget())).to.deep.equal(expected));

  for (const [selector, expected] of [
    ['exit_code', '3'],
    ['produces.dump.database', 'shop'],
    ['$.dump.parts[*].n', ['1', '2']],
    ['$["odd.name"].x', 'true'],
    ['@file:dump', file(5)],
    ['@file:pages', [file(8), file(9)]],
  ] as const)
    it(`read ${selector} of the end of a job`, () =>
      expect(select(parseSelector(selector, true), end, budget())).to.deep.equal(expected));

  for (const [selector, message] of [
    ['order', 'the event has no order'],
    ['toString', 'the event has no toString'],
    ['$.recordid.x', 'the event has nothing at $.recordid.x'],
    ['$.externalids.shop.ids[3]', 'the event has nothing at $.externalids.shop.ids[3]'],
    ['$.externalids.constructor', 'the event has nothing at $.externalids.constructor'],
    ['$.externalids[*]', 'the event has no list at $.externalids'],
  ] as const)
    it(`fail on ${selector}, which the event lacks`, () =>
      expect(() => select(parseSelector(selector, false), change, budget())).to.throw(message));

  it('select no more of an event than a company may hand on of it', () => {
    const columns = { pages: Array.from({ length: 3 }, () => 'x'.repeat(maxPlanned / 4)) };
    const from: Selectable = { ...change, columns, document: () => columns };
    const shared = budget();
    expect(select(parseSelector('$', false), from, shared)).to.have.length.greaterThan(maxPlanned / 2);
    expect(() => select(parseSelector('$', false), from, shared)).to.throw('at most 4194304 characters');
  });

  it('visit no more elements than that allows, and name the one that lacks something', () => {
    const columns = { pages: Array.from({ length: 300_000 }, () => []), lines: [{ n: [{ id: 1 }, {}] }] };
    const from: Selectable = { ...change, columns, document: () => columns };
    const shared = budget();
    for (const again of [false, true]) {
      const read = () => select(parseSelector('$.pages[*][*]', false), from, shared);
      expect(read, `${again}`).to.throw('at most 4194304 characters');
    }
    expect(() => select(parseSelector('$.lines[*].n[*].id', false), from, budget())).to.throw(
      'the event has nothing at $.lines[0].n[1].id',
    );
  });

  it('parse the JSON text of a column once, however many selectors lead into it', () => {
    const parse = columnParser();
    expect(parse('{"shop": 1}')).to.equal(parse('{"shop": 1}'));
  });

  for (const [selector, isChain, message] of [
    ['', false, 'must not be empty'],
    ['$.', false, 'from character 2 on'],
    ['$x', false, 'must be a path such as $.order.items[0].id'],
    ['$.a[x]', true, 'from character 4 on'],
    ['@dump', true, 'must name a file as @file:NAME does'],
    ['@file:', true, 'must name a file as @file:NAME does'],
    ['@file:dump', false, 'cannot be @file'],
  ] as const)
    it(`are refused as ${JSON.stringify(selector)} ${isChain ? 'of a chain' : 'of a source'}`, () =>
      expect(() => parseSelector(selector, isChain)).to.throw(message));

  it('make one job of plain values, and one for each element of lists', () => {
    expect(fanOut({ A: 'x', B: null }, 1, budget())).to.deep.equal([{ A: 'x' }]);
    expect(fanOut({ A: 'x', B: ['1', '2'], C: ['3', '4'] }, 2, budget())).to.deep.equal([
      { A: 'x', B: '1', C: '3' },
      { A: 'x', B: '2', C: '4' },
    ]);
    expect(fanOut({ A: [] }, 5, budget())).to.deep.equal([]);
    expect(() => fanOut({ A: ['1'], B: ['1', '2'] }, 5, budget())).to.throw('A has 1 values and B 2');
    expect(() => fanOut({ A: ['1', '2', '3'] }, 2, budget())).to.throw(
      'A has 3 values, and at most 2 jobs are made of one event',
    );
  });

  it('find any member of any document by the path to it', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 3 }), fc.array(fc.nat({ max: 5 })), (document, choices) => {
        let value: unknown = document;
        let path = '$';
        for (const choice of choices) {
          if (typeof value !== 'object' || value === null) break;
          const keys = Object.keys(value);
          const key = keys[choice % Math.max(1, keys.length)];
          if (key === undefined) break;
          path += Array.isArray(value) ? `[${key}]` : `["${key.replaceAll(/["\\]/g, '\\$&')}"]`;
          value = (value as Record<string, unknown>)[key];
        }
        const from = { columns: {}, document: () => document, parse: columnParser(), files: () => [] };
        const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
        const expected = value === null || value === undefined ? null : text;
        if (!Array.isArray(value)) expect(select(parseSelector(path, true), from, budget())).to.equal(expected);
      }),
    );
  });
});
