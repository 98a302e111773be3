import { expect } from 'chai';
import fc from 'fast-check';
import { splitWords } from '../../../../host/cli/completion/split-words.ts';

describe('A command line up to the cursor', () => {
  it('is split as a shell does', () => {
    const lines: [line: string, words: string[], current: string][] = [
      ['', [], ''],
      ['horarium', [], 'horarium'],
      ['horarium ', [], ''],
      ['horarium task:l', [], 'task:l'],
      ['horarium  task:list\t--state ', ['task:list', '--state'], ''],
      ["horarium apply 'two words' x", ['apply', 'two words'], 'x'],
      ['horarium apply "two words', ['apply'], 'two words'],
      ["horarium apply 'a\\", ['apply'], 'a\\'],
      ['horarium apply two\\ words', ['apply'], 'two words'],
      ['horarium apply "a \\"b\\" \\$c \\d" ', ['apply', 'a "b" $c \\d'], ''],
      ['horarium apply a"b c"\'d e\'', ['apply'], 'ab cd e'],
      ["horarium apply '' ", ['apply', ''], ''],
      ['horarium apply a\\', ['apply'], 'a'],
      ['A=1 B="x y" horarium task:l', [], 'task:l'],
      ['horarium app:save A=1 --set B=2', ['app:save', 'A=1', '--set'], 'B=2'],
      ['horarium task:list > out 2>/dev/null ', ['task:list'], ''],
      ['horarium <in apply ', ['apply'], ''],
      ['horarium apply $(touch x) `y`', ['apply', '$(touch', 'x)'], '`y`'],
    ];
    for (const [line, words, current] of lines)
      expect(splitWords(line), line).to.deep.equal({ words, current, redirected: false });
  });

  it('tells that the word at the cursor is the file of a redirection', () => {
    for (const line of [
      'horarium status > ou',
      'horarium status >ou',
      'horarium status 2>> ou',
      'horarium status < ou',
    ])
      expect(splitWords(line), line).to.deep.equal({ words: ['status'], current: 'ou', redirected: true });
  });

  it('has the words again that were quoted', () => {
    const single = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
    const double = (word: string) => `"${word.replace(/[\\"$`]/g, '\\$&')}"`;
    const escaped = (word: string) => word.replace(/[\s\S]/gu, '\\$&');
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 })),
        fc.constantFrom(single, double, escaped),
        (words, quote) => {
          const line = ['horarium', ...words.map(quote), ''].join(' ');
          expect(splitWords(line)).to.deep.equal({ words, current: '', redirected: false });
        },
      ),
    );
  });
});
