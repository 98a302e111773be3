import type { Format, Reply } from '@horarium/core';
import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';
import { permissiveRouteShape } from '../../../support/http/permissive-route-shape.ts';

/** Formats whose responses HTTP cannot carry, by their defect. */
const formats: Readonly<Record<string, Partial<Format>>> = {
  'a line break in its content type': { mime: 'text/plain\r\nX-Injected: 1' },
  'a header whose name has a space': { headers: () => ({ 'X Broken': '1' }) },
  'a header whose value is not text': { headers: () => ({ 'X-Broken': undefined as unknown as string }) },
  'a body that is neither text nor bytes': { write: () => ({}) as string },
  'no body': { write: () => undefined as unknown as string },
};
const suffixes = Object.keys(formats).map((_defect, index) => `bad${index}`);

describe('A response that HTTP cannot carry', () => {
  let service: HttpService;

  before(async () => {
    const reply: Reply = { value: 1, headers: { 'X-Broken': 'a\nb' } };
    service = await new HttpService({
      extraFormats: Object.values(formats).map((defect, index) => ({
        suffix: suffixes[index] as string,
        mime: 'text/plain',
        write: () => '',
        ...defect,
      })),
      extraRoutes: [
        {
          method: 'GET',
          path: '/broken.{suffix}',
          summary: 'Reply with a header that cannot be sent',
          authentication: 'required',
          shape: permissiveRouteShape('replyBroken'),
          handle: async () => reply,
        },
      ],
    }).start();
  });
  after(() => service.stop());

  const expectFailure = async (path: string) => {
    const { status, headers, json } = await service.requestAsAdmin(path);
    expect([status, headers['content-type'], json.code]).to.deep.equal([
      500,
      'application/problem+json; charset=utf-8',
      'internal',
    ]);
    expect(headers).not.to.have.property('x-injected');
    const lines = service.logLines.map((line) => JSON.parse(line));
    expect(lines.findLast((line) => line.path === `/api/v1${path}`)).to.include({ status: 500 });
    expect(lines.filter((line) => line.request_id === json.request_id && line.err)).not.to.have.length(0);
  };

  for (const [index, defect] of Object.keys(formats).entries())
    it(`becomes 500 in JSON, and is logged as such, when the format has ${defect}`, () =>
      expectFailure(`/topics.${suffixes[index]}`));

  it('becomes 500 in JSON when a route sets an invalid header', () => expectFailure('/broken.json'));
});
