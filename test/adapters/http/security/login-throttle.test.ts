import { expect } from 'chai';
import { adminPassword, basic, HttpService } from '../../../support/http/http-service.ts';

describe('The login throttle over HTTP', () => {
  let service: HttpService;
  const request = (authorization: string) => service.request('/apps.json', { headers: { authorization } });
  const login = (name: string, password: string) =>
    service.request('/login', { method: 'POST', body: { login: name, password } });

  beforeEach(async () => {
    service = await new HttpService().start();
  });
  afterEach(() => service.stop());

  it('delays further attempts ever longer, by login and by Basic alike, and hashes nothing meanwhile', async () => {
    for (let n = 0; n < 3; n++) expect((await request(basic('root', `wrong ${n}`))).status).to.equal(401);
    for (let n = 0; n < 3; n++) expect((await login('root', `bad ${n}`)).status).to.equal(401);
    const { verifications } = service.core.passwordHasher;
    for (const response of [await login('root', adminPassword), await request(basic('root', adminPassword))]) {
      expect([response.status, response.json.code]).to.deep.equal([429, 'too_many_requests']);
      expect(response.headers['retry-after']).to.equal('1');
    }
    expect(service.core.passwordHasher.verifications).to.equal(verifications);
    service.core.clock.advance(1001);
    expect((await login('root', adminPassword)).status).to.equal(200);
    expect((await login('root', 'wrong')).status).to.equal(401);
  });

  it('treats unknown logins as known ones', async () => {
    const tries = async (name: string) => {
      const statuses: number[] = [];
      for (let n = 0; n < 8; n++) statuses.push((await request(basic(name, `wrong ${n}`))).status);
      return statuses;
    };
    expect(await tries('root')).to.deep.equal([401, 401, 401, 401, 401, 401, 429, 429]);
    expect(await tries('unknown')).to.deep.equal([401, 401, 401, 401, 401, 401, 429, 429]);
  });

  it('counts attempts that are made at the same time', async () => {
    service.core.clock.stop();
    const responses = await Promise.all(Array.from({ length: 30 }, (_, n) => request(basic('root', `wrong ${n}`))));
    expect(responses.filter((response) => response.status === 401)).to.have.length(6);
    expect(responses.filter((response) => response.status === 429)).to.have.length(24);
    expect(service.core.passwordHasher.verifications).to.equal(6);
  });

  it('does not delay a user whose password was verified lately, nor a token', async () => {
    const good = basic('root', adminPassword);
    expect((await request(good)).status).to.equal(200);
    for (let n = 0; n < 8; n++) await request(basic('root', `wrong ${n}`));
    expect((await request(good)).status).to.equal(200);
    expect((await service.requestAsAdmin('/apps.json')).status).to.equal(200);
  });

  it('delays also a user whose password was verified lately after twenty wrong ones, or 200 would tell the right one', async () => {
    const good = basic('root', adminPassword);
    expect((await request(good)).status).to.equal(200);
    for (let n = 0; n < 20; n++) await request(basic('root', `wrong ${n}`));
    expect((await request(good)).status).to.equal(429);
    expect((await service.requestAsAdmin('/apps.json')).status).to.equal(200);
    service.core.clock.advance(1001);
    expect((await request(good)).status).to.equal(200);
  });

  it('verifies the password once for many requests at the same time', async () => {
    const good = basic('root', adminPassword);
    const responses = await Promise.all(Array.from({ length: 30 }, () => request(good)));
    expect(new Set(responses.map((response) => response.status))).to.deep.equal(new Set([200]));
    expect(service.core.passwordHasher.verifications).to.be.below(4);
  });

  it('rehashes a password that was hashed with weaker settings, at the next sign-in', async () => {
    const { core } = service;
    const id = await core.addUser('eva', 'a long enough one', 'viewer');
    const before = (await core.records('User').get((await admin()).actor, id)) as unknown as { password: string };
    core.passwordHasher.weak.add(before.password);
    expect((await request(basic('eva', 'a long enough one'))).status).to.equal(200);
    const after = (await core.records('User').get((await admin()).actor, id)) as unknown as { password: string };
    expect(after.password).not.to.equal(before.password);
    const { verifications } = core.passwordHasher;
    expect((await request(basic('eva', 'a long enough one'))).status).to.equal(200);
    expect(core.passwordHasher.verifications).to.equal(verifications);
    core.clock.advance(6 * 60_000);
    expect((await request(basic('eva', 'a long enough one'))).status).to.equal(200);
  });

  const admin = async () => {
    const { secret } = await service.core.createToken('root');
    return service.core.signIn.withToken(secret, { channel: 'http', ip: null, network: null, requestId: null });
  };
});
