import { spawnSync } from 'node:child_process';
import { App, type Field, type FieldError, readField } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { joinWords, splitWords } from '#core/app/split-words';

describe('splitWords', () => {
  const cases: [line: string, words: string[]][] = [
    ['', []],
    [' \t\n ', []],
    ['a  b\tc\nd', ['a', 'b', 'c', 'd']],
    ['"a b" c', ['a b', 'c']],
    ["'a b' c", ['a b', 'c']],
    ['a"b c"\'d e\'f', ['ab cd ef']],
    ['\'\' ""', ['', '']],
    ['a\\ b \\"c\\" \\\\', ['a b', '"c"', '\\']],
    ["'a\\b' 'c\"d'", ['a\\b', 'c"d']],
    ['"a\\b \\$x \\` \\" \\\\ \'"', ['a\\b $x ` " \\ \'']],
    ['a\\\nb "c\\\nd"', ['ab', 'cd']],
    ['a\\', ['a\\']],
    ['{KEY} ${KEY} --x={A}{B} "${A} b"', ['{KEY}', '${KEY}', '--x={A}{B}', '${A} b']],
    ['a | b; c > d & # e $(f) *', ['a', '|', 'b;', 'c', '>', 'd', '&', '#', 'e', '$(f)', '*']],
  ];
  for (const [line, words] of cases)
    it(`splits ${JSON.stringify(line)}`, () => expect(splitWords(line)).to.deep.equal(words));

  it('rejects a quote that is not closed, with its position', () => {
    expect(splitWords('a b c', 3)).to.deep.equal(['a', 'b', 'c']);
    for (const more of ['a b c d', 'a b c "d" e']) expect(() => splitWords(more, 3)).to.throw('has more than 3 words');
    expect(() => splitWords('a "b')).to.throw('has a quote (") at character 3 that is not closed');
    expect(() => splitWords("'a")).to.throw("has a quote (') at character 1 that is not closed");
  });

  it('splits a line as sh does if it contains nothing that sh expands', () => {
    const line = fc
      .string({ unit: fc.constantFrom('a', 'b', ' ', '\t', "'", '"', '\\', '-', '=', ',') })
      .filter((text) => !text.endsWith('\\') && splittable(text));
    fc.assert(
      fc.property(fc.array(line, { minLength: 60, maxLength: 60 }), (lines) => {
        const script = lines.map((each) => `set -- ${each}\nprintf '%s\\0' "$#" "$@"`).join('\n');
        const { stdout } = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
        const expected = lines.flatMap((each) => [String(splitWords(each).length), ...splitWords(each)]);
        expect(stdout.split('\0').slice(0, -1)).to.deep.equal(expected);
      }),
      { numRuns: 20 },
    );
  });
});

describe('The arguments of an App', () => {
  const save = (line: string, errors: FieldError[] = []) =>
    readField('arguments', App.fields['arguments'] as Field, line, errors);

  it('are split when they come as one text', () =>
    expect(save('-c "a b" {KEY}')).to.deep.equal(['-c', 'a b', '{KEY}']));

  it('are rejected when a quote is not closed', () => {
    const errors: FieldError[] = [];
    save("it's", errors);
    expect(errors).to.deep.equal([
      { field: 'arguments', message: "arguments has a quote (') at character 3 that is not closed" },
    ]);
  });
});

describe('joinWords', () => {
  it('quotes neither plain words nor placeholders', () =>
    expect(joinWords(['--since', '${SINCE}', '--x={A}{B}', 'a b', '', "it's"])).to.equal(
      "--since ${SINCE} --x={A}{B} 'a b' '' 'it'\\''s'",
    ));

  it('is the inverse of splitWords', () =>
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (words) => {
        expect(splitWords(joinWords(words))).to.deep.equal(words);
      }),
    ));
});

function splittable(line: string): boolean {
  try {
    splitWords(line);
    return true;
  } catch {
    return false;
  }
}
