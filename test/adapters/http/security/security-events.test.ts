import { expect } from 'chai';
import { adminPassword, basic, HttpService } from '../../../support/http/http-service.ts';

const password = 'a long enough one';

describe('Security events in the log', () => {
  let service: HttpService;
  let jane: number;
  beforeEach(async () => {
    service = await new HttpService({ proxies: ['127.0.0.1'] }).start();
    jane = await service.core.addUser('jane', password, null);
  });
  afterEach(() => service.stop());

  const request = (authorization: string, address = '192.0.2.1', path = '/user/2.json') =>
    service.request(path, {
      headers: { authorization, 'x-forwarded-proto': 'https', 'x-forwarded-for': address, 'x-request-id': 'r-1' },
    });
  const login = (name: string, given: string) =>
    service.request('/login', { method: 'POST', body: { login: name, password: given } });
  /** The sign-ins recorded since the last call. */
  const recorded = () => service.core.signIns.splice(0).map(({ userId, code }) => [userId, code]);
  const refusals = () =>
    service.logLines.map((line) => JSON.parse(line)).filter((line) => line.security === 'refused' && line.level === 40);

  it('record every login with its user, address and request id', async () => {
    for (let n = 0; n < 2; n++) expect((await login('jane', password)).status).to.equal(200);
    expect(service.core.signIns[0]).to.include({ userId: jane, channel: 'http', ip: '127.0.0.1', code: null });
    expect(service.core.signIns[0]?.requestId).to.match(/^[0-9a-f-]{36}$/);
    expect(recorded()).to.deep.equal([
      [jane, null],
      [jane, null],
    ]);
  });

  it('record Basic authentication once in a while, and for each new address', async () => {
    const good = basic('jane', password);
    for (let n = 0; n < 3; n++) expect((await request(good)).status).to.equal(200);
    expect(service.core.signIns).to.deep.equal([
      { channel: 'http', ip: '192.0.2.1', requestId: 'r-1', userId: jane, code: null },
    ]);
    await request(good, '192.0.2.2');
    expect(service.core.signIns.splice(0).map(({ ip }) => ip)).to.deep.equal(['192.0.2.1', '192.0.2.2']);
    service.core.clock.advance(3_600_000);
    await request(good);
    expect(recorded()).to.deep.equal([[jane, null]]);
  });

  it('record no use of a valid token', async () => {
    expect((await service.requestAsAdmin('/apps.json')).status).to.equal(200);
    expect(recorded()).to.deep.equal([]);
  });

  it('record each refused sign-in with the user it was for', async () => {
    await request(basic('jane', 'wrong'));
    await login('jane', 'wrong again');
    await request('Bearer hor_unknown');
    await service.core.changeUser(jane, { enabled: false });
    await login('jane', password);
    expect(recorded()).to.deep.equal([
      [jane, 'unauthenticated'],
      [jane, 'unauthenticated'],
      [null, 'unauthenticated'],
      [jane, 'unauthenticated'],
    ]);
    for (let n = 0; n < 7; n++) await login('root', `wrong ${n}`);
    expect(recorded().at(-1)).to.deep.equal([1, 'too_many_requests']);
  });

  it('never hold what was typed as an unknown login: it may be a password', async () => {
    expect((await login(adminPassword, 'root')).status).to.equal(401);
    expect(JSON.stringify([service.core.signIns, service.logLines])).to.not.include(adminPassword);
    expect(recorded()).to.deep.equal([[null, 'unauthenticated']]);
  });

  it('record a wrong old password', async () => {
    const { secret } = await service.core.createToken('jane');
    const body = { old_password: 'wrong', password: 'another long one' };
    const headers = { authorization: `Bearer ${secret}` };
    expect((await service.request(`/user/${jane}.json`, { method: 'POST', body, headers })).status).to.equal(422);
    expect(recorded()).to.deep.equal([[jane, 'unauthenticated']]);
  });

  it('record each denied request with the reason', async () => {
    const post = { method: 'POST', body: { name: 'x' } };
    const forwarded = { 'x-forwarded-proto': 'https', 'x-request-id': 'r-2' };
    const headers = { authorization: basic('jane', password), ...forwarded };
    expect((await service.request('/topic/', { ...post, headers })).status).to.equal(403);
    await service.request('/topic/', { ...post, headers: { ...headers, origin: 'https://evil.example' } });
    await service.request('/topics', { headers: { ...headers, 'x-forwarded-proto': 'http' } });
    expect(refusals()).to.have.length(3);
    expect(refusals()[0]).to.deep.include({ code: 'denied', ip: '127.0.0.1', request_id: 'r-2' });
    expect(refusals()[0].reason).to.match(/^jane may not create Topic records/);
    expect(refusals()[1].reason).to.include('https://evil.example');
    expect(refusals()[2].code).to.equal('https_required');
  });

  it('record no request that is merely invalid', async () => {
    await service.requestAsAdmin('/app/999.json');
    await service.requestAsAdmin('/app/', { method: 'POST', body: {} });
    await service.request('/apps.json');
    expect([refusals(), recorded()]).to.deep.equal([[], []]);
  });
});
