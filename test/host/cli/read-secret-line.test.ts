import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { explain } from '../../../host/cli/failure.ts';
import { readSecretLine } from '../../../host/cli/process-io.ts';

describe('A secret typed at a terminal', () => {
  const typed = (keys: string): Promise<string> => {
    const terminal = new PassThrough();
    const line = readSecretLine(terminal);
    terminal.write(keys);
    return line;
  };

  it('ends with the line', async () => {
    expect(await typed('correct horse\rbattery')).to.equal('correct horse');
  });

  for (const [name, key] of Object.entries({ 'Ctrl-C': '\u0003', 'Ctrl-D': '\u0004' }))
    it(`is interrupted by ${name}, which exits with 130 and no message`, async () => {
      const failure = await typed(key).catch(explain);
      expect(failure).to.deep.equal({ code: 130, text: '' });
    });
});
