import { expect } from 'chai';
import { adminPassword, basic, HttpService } from '../../../support/http/http-service.ts';

describe('Login over HTTP', () => {
  let service: HttpService;

  before(async () => {
    service = await new HttpService().start();
  });
  after(() => service.stop());

  const login = (body: unknown, headers = {}) => service.request('/login.json', { method: 'POST', body, headers });

  it('grants a token for a login and password, as JSON, as a form and as a Basic header', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const responses = [
      await login({ login: 'root', password: adminPassword }),
      await login({ username: 'root', password: adminPassword }),
      await login(`login=root&password=${encodeURIComponent(adminPassword)}`, form),
      await service.request('/login', { headers: { authorization: basic('root', adminPassword) } }),
    ];
    for (const { status, json, headers } of responses) {
      expect(status).to.equal(200);
      expect(json.access_token).to.match(/^hor_[A-Za-z0-9_-]{43}$/);
      expect(json).to.include({ token: json.access_token, token_type: 'Bearer', expires_in: 12 * 3600 });
      expect(json.expires_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(json.user).to.include({ login: 'root' });
      expect(JSON.stringify(json.user)).not.to.include('password');
      expect(headers['cache-control']).to.equal('no-store');
      const used = await service.request('/status', { headers: { authorization: `Bearer ${json.access_token}` } });
      expect(used.status).to.equal(200);
    }
  });

  it('grants no token to HEAD, whose response would not show it', async () => {
    const response = await service.requestAsAdmin('/login', { method: 'HEAD' });
    expect([response.status, response.headers['allow']]).to.deep.equal([405, 'GET, POST']);
  });

  it('reads less of a body than an authenticated endpoint does', async () => {
    const password = 'x'.repeat(17_000);
    expect((await login({ login: 'root', password })).status).to.equal(413);
    const description = password;
    expect(
      (await service.requestAsAdmin('/topic', { method: 'POST', body: { name: 'long', description } })).status,
    ).to.equal(201);
  });

  it('refuses a login or a password that is longer than any may be', async () => {
    for (const [field, body] of [
      ['login', { login: 'x'.repeat(65), password: adminPassword }],
      ['username', { username: 'x'.repeat(65), password: adminPassword }],
      ['password', { login: 'root', password: 'x'.repeat(1025) }],
    ] as const) {
      const { status, json } = await login(body);
      expect([status, json.errors?.[0]?.field]).to.deep.equal([422, field]);
    }
  });

  it('grants tokens that expire after twelve hours', async () => {
    const { json } = await login({ login: 'root', password: adminPassword });
    const headers = { authorization: `Bearer ${json.token}` };
    service.core.clock.advance(12 * 3_600_000 - 60_000);
    expect((await service.request('/status', { headers })).status).to.equal(200);
    service.core.clock.advance(60_001);
    expect((await service.request('/status', { headers })).status).to.equal(401);
  });

  it('revokes the token that logout is called with, and no other', async () => {
    const one = (await login({ login: 'root', password: adminPassword })).json.token;
    const other = (await login({ login: 'root', password: adminPassword })).json.token;
    const headers = { authorization: `Bearer ${one}` };
    expect((await service.request('/logout', { method: 'POST', headers })).status).to.equal(204);
    expect((await service.request('/status', { headers })).status).to.equal(401);
    expect((await service.request('/status', { headers: { authorization: `Bearer ${other}` } })).status).to.equal(200);
    const withPassword = { authorization: basic('root', adminPassword) };
    expect((await service.request('/logout', { method: 'POST', headers: withPassword })).status).to.equal(400);
  });

  it('answers an unknown login and a wrong password alike', async () => {
    const id = { 'x-request-id': 'same' };
    const wrong = await login({ login: 'root', password: 'wrong' }, id);
    const unknown = await login({ login: 'unknown', password: 'wrong' }, id);
    expect(wrong.status).to.equal(401);
    expect(unknown.text).to.equal(wrong.text);
    expect((await service.request('/login.json')).status).to.equal(401);
  });

  it('rejects credentials in the query and bodies without them', async () => {
    const query = `?login=root&password=${encodeURIComponent(adminPassword)}`;
    expect((await service.request(`/login.json${query}`)).status).to.equal(400);
    expect((await service.request(`/login.json${query}`, { method: 'POST' })).status).to.equal(400);
    for (const body of [{}, { login: 'root' }, { login: 1, password: 2 }, [], 'null'])
      expect((await login(body)).status).to.equal(400);
  });

  it('rejects unknown fields, naming each', async () => {
    const unknown = { login: 'root', password: adminPassword, remember_me: true, grant_type: 'password' };
    const { status, json } = await login(unknown);
    expect([status, json.code]).to.deep.equal([422, 'invalid']);
    expect(json.errors).to.deep.equal(
      ['remember_me', 'grant_type'].map((field) => ({
        field,
        message: `${field} is not a field of a login; expected one of login, username, password`,
      })),
    );
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await login('login=root&password=x&scope=all', form)).status).to.equal(422);
    expect((await login('login=root&password=x&password=y', form)).status).to.equal(422);
  });

  it('writes neither passwords nor tokens to the log and the audit log', async () => {
    const { json } = await login({ login: 'root', password: adminPassword });
    const entries = await service.requestAsAdmin('/auditlog.json?limit=1000');
    for (const text of [service.logLines.join(''), JSON.stringify(entries.json)]) {
      expect(text).not.to.include(adminPassword);
      expect(text).not.to.include(json.token);
      expect(text).not.to.include(service.core.digests.sha256(json.token));
    }
  });
});
