import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';

describe('A cacheable reply', () => {
  it('is written once in each format, however many requests there are', async () => {
    let written = 0;
    const counted = { suffix: 'counted', mime: 'text/plain', write: () => String(++written) };
    const service = await new HttpService({ extraFormats: [counted] }).start();
    const texts = async (path: string) => [
      (await service.requestAsAdmin(path)).text,
      (await service.requestAsAdmin(path)).text,
    ];
    expect(await texts('/openapi.counted')).to.deep.equal(['1', '1']);
    expect(await texts('/topics.counted')).to.deep.equal(['2', '3']);
    await service.stop();
  });
});
