import { expect } from 'chai';
import { readXml } from '../../../support/formats/read-xml.ts';
import { HttpService, type TestRequest } from '../../../support/http/http-service.ts';

const tag = '"><script>alert(1)</script>';
const inPath = encodeURIComponent(tag);

describe('Texts of a request', () => {
  let service: HttpService;

  before(async () => {
    service = await new HttpService().start();
    await service.requestAsAdmin('/topic/', { method: 'POST', body: { name: 'a topic' } });
  });
  after(() => service.stop());

  const post = (body: unknown, headers: TestRequest['headers'] = {}): TestRequest => ({
    method: 'POST',
    body,
    headers,
  });
  const refused: readonly (readonly [string, (suffix: string) => string, TestRequest?])[] = [
    ['a path', (suffix) => `/${inPath}.${suffix}`],
    ['an id', (suffix) => `/topic/${inPath}.${suffix}`],
    ['the name of a parameter', (suffix) => `/topics.${suffix}?${inPath}=1`],
    ['the value of a parameter', (suffix) => `/topics.${suffix}?limit=${inPath}`],
    ['an order', (suffix) => `/topics.${suffix}?order=${inPath}`],
    ['the name of a field', (suffix) => `/topic/1.${suffix}`, post({ [tag]: 1 })],
    ['the value of a field', (suffix) => `/topic/1.${suffix}`, post({ color: tag })],
    ['broken JSON', (suffix) => `/topic/1.${suffix}`, post(tag)],
    ['a content type', (suffix) => `/topic/1.${suffix}`, post('x', { 'content-type': tag })],
    ['a content encoding', (suffix) => `/topic/1.${suffix}`, post('x', { 'content-encoding': tag })],
    ['an origin', (suffix) => `/topic/1.${suffix}`, post({}, { origin: tag })],
    ['an entity tag', (suffix) => `/topic/1.${suffix}`, post({}, { 'if-match': tag })],
  ];

  for (const [what, path, request] of refused)
    it(`are escaped in the error that quotes ${what}`, async () => {
      for (const suffix of ['html', 'xml', 'json', 'yaml', 'csv']) {
        const { status, headers, text } = await service.requestAsAdmin(path(suffix), request);
        expect(status, suffix).to.be.within(400, 422);
        expect(headers['x-content-type-options']).to.equal('nosniff');
        expect(headers['content-security-policy']).to.match(/^default-src 'none';/);
        if (suffix === 'html' || suffix === 'xml') expect(text).not.to.match(/<script/i);
        if (suffix === 'xml') readXml(text);
      }
    });

  it('never become a response header', async () => {
    const { headers } = await service.requestAsAdmin('/topic/1.json?x=%0d%0aX-Injected:%201');
    expect(headers).not.to.have.property('x-injected');
    const made = await service.requestAsAdmin('/topic/', post({ name: 'a\r\nX-Injected: 1' }));
    expect(made.headers).not.to.have.property('x-injected');
  });
});
