import { expect } from 'chai';
import { checkedFetch } from '../../../support/http/checked-fetch.ts';
import { adminPassword, basic, HttpService } from '../../../support/http/http-service.ts';

describe('Authentication over HTTP', () => {
  let service: HttpService;
  let secret: string;
  let expired: string;
  let revoked: string;
  let ofDisabled: string;

  before(async () => {
    service = await new HttpService().start();
    const { core } = service;
    secret = (await core.createToken('root')).secret;
    expired = (await core.createToken('root', 1000)).secret;
    const ended = await core.createToken('root');
    revoked = ended.secret;
    await core.tokens.revoke((await core.signIn.withToken(secret, origin)).actor, ended.id);
    const id = await core.addUser('gone', 'once upon a time');
    ofDisabled = (await core.createToken('gone')).secret;
    await core.changeUser(id, { enabled: false });
    core.clock.advance(2000);
  });
  after(() => service.stop());

  const origin = { channel: 'http', ip: null, network: null, requestId: null } as const;
  const invalid = 'Bearer error="invalid_token"';
  const either = 'Bearer, Basic realm="Horarium", charset="UTF-8"';
  const password = 'Basic realm="Horarium", charset="UTF-8"';

  const cases: [string, () => string | string[] | undefined, number, string?][] = [
    ['no credentials', () => undefined, 401, either],
    ['a valid token', () => `Bearer ${secret}`, 200],
    ['a valid token after a scheme in lower case', () => `bearer ${secret}`, 200],
    ['an unknown token', () => 'Bearer hor_unknown', 401, invalid],
    ['a token of another form', () => 'Bearer abc', 401, invalid],
    ['an expired token', () => `Bearer ${expired}`, 401, invalid],
    ['a revoked token', () => `Bearer ${revoked}`, 401, invalid],
    ['the token of a disabled user', () => `Bearer ${ofDisabled}`, 401, invalid],
    ['a scheme without a token', () => 'Bearer', 401, invalid],
    ['a token with a space in it', () => 'Bearer a b', 401, invalid],
    ['the right login and password', () => basic('root', adminPassword), 200],
    ['a wrong password', () => basic('root', 'wrong'), 401, password],
    ['an unknown login', () => basic('unknown', adminPassword), 401, password],
    ['a disabled user', () => basic('gone', 'once upon a time'), 401, password],
    ['an empty login', () => basic('', adminPassword), 401, password],
    ['Basic that is not base64', () => 'Basic ***', 401, password],
    ['Basic without a colon', () => `Basic ${Buffer.from('root').toString('base64')}`, 401, password],
    ['Basic that is not UTF-8', () => `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString('base64')}`, 401, password],
    ['another scheme', () => 'Digest username="root"', 401, either],
    ['an empty header', () => '', 401, either],
    ['two Authorization headers', () => [`Bearer ${secret}`, basic('root', adminPassword)], 400],
    ['the same header twice', () => [`Bearer ${secret}`, `Bearer ${secret}`], 400],
  ];
  for (const [what, header, status, challenge] of cases) {
    it(`answers ${status} to ${what}`, async () => {
      const value = header();
      const response = await service.request(
        '/apps.json',
        value === undefined ? {} : { headers: { authorization: value } },
      );
      expect(response.status).to.equal(status);
      expect(response.headers['www-authenticate']).to.equal(challenge);
      if (status !== 200) expect(response.json.code).to.equal(status === 400 ? 'bad_request' : 'unauthenticated');
    });
  }

  it('never falls back to Basic when the bearer token is invalid', async () => {
    const headers = { authorization: ['Bearer hor_unknown', basic('root', adminPassword)] };
    expect((await service.request('/apps.json', { headers })).status).to.equal(400);
  });

  it('answers an unknown login, a wrong password and a disabled user alike', async () => {
    const responses = await Promise.all(
      [basic('root', 'wrong'), basic('unknown', 'wrong'), basic('gone', 'once upon a time')].map((authorization) =>
        service.request('/apps.json', { headers: { authorization, 'x-request-id': 'same' } }),
      ),
    );
    expect(new Set(responses.map((response) => response.text)).size).to.equal(1);
  });

  it('hashes once for an unknown login, as for a wrong password', async () => {
    const { passwordHasher } = service.core;
    const cost = async (authorization: string) => {
      const before = passwordHasher.verifications;
      await service.request('/apps.json', { headers: { authorization } });
      return passwordHasher.verifications - before;
    };
    expect(await cost(basic('root', 'wrong'))).to.equal(1);
    expect(await cost(basic('unknown', 'wrong'))).to.equal(1);
    expect(await cost(basic('gone', 'once upon a time'))).to.equal(1);
  });

  it('hashes a Basic password once in some minutes, and heeds a change of the user immediately', async () => {
    const { core } = service;
    const id = await core.addUser('busy', 'a first password');
    const try_ = (password: string) =>
      service.request('/apps.json', { headers: { authorization: basic('busy', password) } });
    expect((await try_('a first password')).status).to.equal(200);
    const before = core.passwordHasher.verifications;
    expect((await try_('a first password')).status).to.equal(200);
    expect(core.passwordHasher.verifications).to.equal(before);
    core.clock.advance(6 * 60_000);
    expect((await try_('a first password')).status).to.equal(200);
    expect(core.passwordHasher.verifications).to.equal(before + 1);
    await core.changeUser(id, { password: await core.passwordHasher.hash('a second password') });
    expect((await try_('a first password')).status).to.equal(401);
    expect((await try_('a second password')).status).to.equal(200);
    await core.changeUser(id, { enabled: false });
    expect((await try_('a second password')).status).to.equal(401);
  });

  it('exempts only ping and login from authentication', async () => {
    for (const path of ['/ping', '/ping.json', '/ping/']) expect((await service.request(path)).status).to.equal(200);
    for (const path of ['/status', '/index.json', '/apps', '/nothing', '/', '/app/1.json', '/jobs.json'])
      expect((await service.request(path)).status, path).to.equal(401);
    for (const method of ['POST', 'PUT', 'OPTIONS', 'DELETE'])
      expect((await service.request('/apps.json', { method })).status, method).to.equal(401);
    expect((await service.request('/ping.json', { method: 'POST' })).status).to.equal(405);
  });

  it('ignores credentials in the URL', async () => {
    const { port } = new URL(service.url);
    const response = await checkedFetch(
      `http://127.0.0.1:${port}/api/v1/apps.json?login=root&password=${adminPassword}`,
    );
    expect(response.status).to.equal(401);
  });
});
