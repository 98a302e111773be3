import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';

const listed = 'https://app.example.com';
const stranger = 'https://evil.example.com';

describe('CORS', () => {
  let service: HttpService;
  const preflight = (origin: string, path = '/topic/') =>
    service.request(path, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
  const post = (headers: Record<string, string>) =>
    service.requestAsAdmin('/topic/', { method: 'POST', headers, body: { name: 'a' } });

  describe('for a listed origin', () => {
    before(async () => {
      service = await new HttpService({ corsOrigins: [listed] }).start();
    });
    after(() => service.stop());

    it('answers a preflight without credentials, with the methods and headers that are allowed', async () => {
      const response = await preflight(listed);
      expect(response.status).to.equal(204);
      expect(response.headers).to.include({
        'access-control-allow-origin': listed,
        'access-control-allow-methods': 'POST',
        vary: 'Origin',
      });
      expect(response.headers['access-control-allow-headers']).to.match(/Authorization.*Idempotency-Key.*If-Match/);
      expect(response.headers).not.to.have.property('access-control-allow-credentials');
    });

    it('allows reads and changes, and exposes the response headers', async () => {
      for (const more of [{}, { 'sec-fetch-site': 'cross-site' }]) {
        const response = await post({ origin: listed, ...more });
        expect(response.status).to.be.oneOf([200, 201]);
        expect(response.headers['access-control-allow-origin']).to.equal(listed);
        expect(response.headers['access-control-expose-headers']).to.match(/ETag.*X-Total-Count/);
      }
      const refused = await service.request('/apps.json', { headers: { origin: listed } });
      expect([refused.status, refused.headers['access-control-allow-origin']]).to.deep.equal([401, listed]);
    });

    it('gives other origins no CORS headers, and rejects their changes', async () => {
      const asked = await preflight(stranger);
      expect([asked.status, asked.headers['access-control-allow-origin']]).to.deep.equal([401, undefined]);
      for (const origin of [
        stranger,
        `${listed}.evil.example`,
        'https://app.example.com:8443',
        'null',
        listed.slice(8),
      ]) {
        const response = await post({ origin });
        expect([response.status, response.headers['access-control-allow-origin']], origin).to.deep.equal([
          403,
          undefined,
        ]);
      }
      expect((await post({ 'sec-fetch-site': 'cross-site' })).status).to.equal(403);
      expect(
        (await service.requestAsAdmin('/topics.json', { headers: { origin: stranger } })).headers['vary'],
      ).to.equal('Origin');
    });
  });

  it('is off by default', async () => {
    service = await new HttpService().start();
    const asked = await preflight(listed);
    expect([asked.status, asked.headers['access-control-allow-origin']]).to.deep.equal([401, undefined]);
    const read = await service.requestAsAdmin('/topics.json', { headers: { origin: listed } });
    expect([read.status, read.headers['access-control-allow-origin'], read.headers['vary']]).to.deep.equal([
      200,
      undefined,
      undefined,
    ]);
    expect((await post({ origin: listed })).status).to.equal(403);
    await service.stop();
  });
});
