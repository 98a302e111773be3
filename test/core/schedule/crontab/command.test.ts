import { expect } from 'chai';
import fc from 'fast-check';
import { readCommand } from '#core/schedule/crontab/command';

describe('readCommand', () => {
  const cases: [text: string, command: string, stdin: string | null][] = [
    ['date', 'date', null],
    ['date +\\%F', 'date +%F', null],
    ['test ! -x a -a \\! -d b', 'test ! -x a -a \\! -d b', null],
    ["sed 's/\\\\./x/'", "sed 's/\\./x/'", null],
    ['echo a\\', 'echo a\\', null],
    ['mail joe%Joe,%%Where are you?%', 'mail joe', 'Joe,\n\nWhere are you?\n'],
    ['cat%one', 'cat', 'one\n'],
    ['cat%', 'cat', ''],
    ['cat%%', 'cat', '\n'],
    ['cat%100\\% of \\it\\', 'cat', '100% of \\it\\\n'],
    ['a\\%b%c\\%d', 'a%b', 'c%d\n'],
    ['a\\\\%b', 'a\\', 'b\n'],
    ['cat%a\\\\%b', 'cat', 'a\\%b\n'],
  ];
  for (const [text, command, stdin] of cases)
    it(`reads ${text}`, () => expect(readCommand(text)).to.deep.equal({ command, stdin }));

  it('gives back every text whose backslashes and percent signs are escaped', () =>
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readCommand(text.replace(/[\\%]/g, '\\$&'))).to.deep.equal({ command: text, stdin: null });
      }),
    ));
});
