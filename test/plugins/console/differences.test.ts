import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { sourceRoot } from '../../house/source-files.ts';

interface ChangedField {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

interface Differences {
  changedFields(changes: Readonly<Record<string, readonly [unknown, unknown]>>): readonly ChangedField[];
  shownPair(before: unknown, after: unknown): { before: string | null; after: string | null; isCut: boolean };
}

describe('What pages show of a change:', () => {
  let differences: Differences;

  before(async () => {
    const path = join(sourceRoot, 'plugins/console/web/changes/differences.ts');
    differences = await import(pathToFileURL(path).href);
  });

  const shown = (before: unknown, after: unknown) =>
    differences.changedFields({ field: [before, after] }).map((each) => {
      const pair = differences.shownPair(each.before, each.after);
      return `${each.name}: ${pair.before} → ${pair.after}`;
    });

  const long = 'abcdefghijklmnopqrstuvwxyz '.repeat(10);
  const shell = ['SHELL=/bin/sh', 'HOME=/home/anna', 'PATH=/usr/bin:/bin', '/bin/sh', '-c'];
  const cases: Readonly<Record<string, readonly [before: unknown, after: unknown, lines: readonly string[]]>> = {
    'a short value as it is': [30, 5, ['field: 30 → 5']],
    'a value that is new': [null, 'x', ['field: null → x']],
    'an empty text': ['x', '', ['field: x → ""']],
    'the element of a list that differs': [
      [...shell, '/bin/echo heartbeat'],
      [...shell, '/bin/ecko heartbeat'],
      ['field: /bin/echo heartbeat → /bin/ecko heartbeat'],
    ],
    'a list that is longer': [['a'], ['a', 'b'], ['field: ["a"] → ["a","b"]']],
    'the members of a map that differ': [
      { TZ: 'UTC', MODE: 'a', SAME: '1' },
      { TZ: 'CET', NEW: 'b', SAME: '1' },
      ['TZ: UTC → CET', 'MODE: a → null', 'NEW: null → b'],
    ],
    'a member within a member': [
      { env: { TZ: 'UTC', A: '1' }, arguments: ['-c', 'one'] },
      { env: { TZ: 'CET', A: '1' }, arguments: ['-c', 'two'] },
      ['env.TZ: UTC → CET', 'arguments: one → two'],
    ],
    'a member of an element': [[{ path: 'a' }], [{ path: 'b' }], ['field[0].path: a → b']],
    'a secret, which is known to have changed': [
      { PIN: '••••••••' },
      { PIN: '••••••••' },
      ['field: •••••••• → ••••••••'],
    ],
    'the part of a long text around what differs': [
      `${long}one${long}`,
      `${long}two${long}`,
      [
        'field: …hijklmnopqrstuvwxyz oneabcdefghijklmnopqrstuvwxyz abcdefghij… → …hijklmnopqrstuvwxyz twoabcdefghijklmnopqrstuvwxyz abcdefghij…',
      ],
    ],
    'the kind of a value, where only that differs': [5, '5', ['field: 5 → "5"']],
  };
  for (const [title, [before, after, lines]] of Object.entries(cases))
    it(title, () => {
      expect(shown(before, after)).to.deep.equal(lines);
    });

  it('Its two sides differ whenever the values do, and neither is longer than a line', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc
        .tuple(fc.constantFrom('a', '👍', '…', '"'), fc.nat(90), fc.string({ maxLength: 90 }))
        .map(([repeated, count, end]) => repeated.repeat(count) + end),
    );
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), text, { maxKeys: 3 }),
      ),
    })).value;
    const read = (of: unknown) => JSON.stringify(of);
    fc.assert(
      fc.property(value, value, (before, after) => {
        for (const each of differences.changedFields({ field: [before, after] })) {
          const pair = differences.shownPair(each.before, each.after);
          expect(pair.before ?? '', read(each)).to.have.lengthOf.at.most(62);
          expect(pair.after ?? '', read(each)).to.have.lengthOf.at.most(62);
          expect(pair.before === pair.after, read(each)).to.equal(read(each.before) === read(each.after));
        }
      }),
      { numRuns: 500 },
    );
  });
});
