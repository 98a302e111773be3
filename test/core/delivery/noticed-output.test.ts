import { expect } from 'chai';
import { lastLines } from '#core/delivery/noticed-output';

describe('The output in a notice', () => {
  for (const [output, expected, title] of [
    ['one\ntwo\n\n', 'one\ntwo', 'leaves out empty lines at the end'],
    ['10 %\r50 %\r100 %\r\ndone\r\n', '100 %\ndone', 'keeps what a line shows at last'],
    ['\u001b[1;31mfailed\u001b[0m\u0007\tthere', 'failed\tthere', 'leaves out styles and control characters'],
    [
      Array.from({ length: 25 }, (_, line) => line).join('\n'),
      Array.from({ length: 20 }, (_, line) => line + 5).join('\n'),
      'has 20 lines at most',
    ],
    ['', null, 'is null if there is none'],
    [' \n\r\n', null, 'is null if it is blank'],
  ] as const)
    it(title, () => {
      expect(lastLines(output)).to.equal(expected);
    });
});
