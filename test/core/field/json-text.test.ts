import { HorariumError } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseJson, readJson } from '#core/field/json-text';

describe('readJson', () => {
  const invalid: [text: string, message: string][] = [
    ['', 'line 1, column 1: the document ends too early'],
    ['[1', 'line 1, column 3: the document ends too early'],
    ['"a', 'line 1, column 3: the document ends too early'],
    ['[1,]', 'line 1, column 4: a value was expected, not "]"'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: a comma or } was expected'],
    ['{a: 1}', 'line 1, column 2: a name in double quotes was expected'],
    ['{"a" 1}', 'line 1, column 6: a colon was expected after "a"'],
    ['{\r\n"a": "b\r\n}', 'line 2, column 8: a text may hold no line break or control character'],
    ['["\\x"]', 'line 1, column 3: no such escape'],
    ['[1] []', 'line 1, column 5: nothing may follow the end of the document'],
    ['01', 'line 1, column 2: nothing may follow the end of the document'],
    ['truly', 'line 1, column 1: a value was expected, not "t"'],
    ['{"a": 1,\n "a": 2}', 'line 2, column 2: a is given more than once'],
    ['{"a": 1, "\\u0061": 2}', 'line 1, column 10: a is given more than once'],
    ['{"__proto__": {}}', 'line 1, column 2: __proto__ is not allowed'],
    ['['.repeat(200), 'line 1, column 101: lists and objects may be nested 100 deep at most'],
  ];
  for (const [text, message] of invalid)
    it(`rejects ${JSON.stringify(text.slice(0, 30))} with its line, column and reason`, () =>
      expect(() => readJson(text, 'x.json')).to.throw(HorariumError, `x.json is invalid: ${message}`));

  it('ignores a byte order mark', () => expect(readJson('\uFEFF{"a": 1}', 'x')).to.deep.equal({ a: 1 }));

  it('reads what JSON.stringify writes', () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!text.includes('__proto__'));
        expect(readJson(text, 'x')).to.deep.equal(JSON.parse(text));
      }),
    ));

  it('accepts exactly what JSON.parse accepts, after any one edit of valid JSON', () =>
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 3 }),
        fc.nat(),
        fc.nat(2),
        fc.string({ maxLength: 2 }),
        (json, at, deleted, inserted) => {
          fc.pre(!json.includes('__proto__'));
          const start = at % (json.length + 1);
          const text = json.slice(0, start) + inserted + json.slice(start + deleted);
          const outcome = errorOf(() => readJson(text, 'x'));
          if (/is given more than once|nested/.test(outcome.message ?? '')) return;
          expect(outcome.message === undefined, text).to.equal(errorOf(() => JSON.parse(text)).message === undefined);
        },
      ),
      { numRuns: 1000 },
    ));

  it('reads texts of many megabytes', () =>
    expect(readJson(JSON.stringify(['x'.repeat(2e7), '\n'.repeat(1e6)]), 'x')).to.have.length(2));
});

describe('parseJson', () => {
  it('notes a hundred mistakes at most, because each costs as much time as a long path has keys', () => {
    const { errors } = parseJson(`{${new Array(9000).fill('"a":1').join(',')}}`);
    expect(errors).to.deep.equal(new Array(100).fill({ field: 'a', message: 'a is given more than once' }));
  });

  it('shortens keys in the paths of mistakes, because many may be under a long one', () => {
    const key = 'k'.repeat(500_000);
    const { errors } = parseJson(`{"${key}":{${new Array(9000).fill('"a":1').join(',')}}}`);
    expect(errors[0]).to.deep.equal({ field: `${key.slice(0, 255)}.a`, message: 'a is given more than once' });
    expect(errors.reduce((sum, { field }) => sum + field.length, 0)).to.equal(100 * 257);
  });
});

function errorOf(run: () => unknown): { message?: string } {
  try {
    run();
    return {};
  } catch (error) {
    return { message: (error as Error).message };
  }
}
