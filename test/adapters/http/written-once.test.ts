import { expect } from 'chai';
import { HttpService } from '../../support/http-service.ts';

describe('The description of the API', () => {
  it('is written once in each format, however often it is asked for', async () => {
    let written = 0;
    const counted = { suffix: 'counted', mime: 'text/plain', write: () => String(++written) };
    const service = await new HttpService({ moreFormats: [counted] }).start();
    const texts = async (path: string) => [(await service.ask(path)).text, (await service.ask(path)).text];
    expect(await texts('/openapi.counted')).to.deep.equal(['1', '1']);
    expect(await texts('/topics.counted')).to.deep.equal(['2', '3']);
    await service.stop();
  });
});
