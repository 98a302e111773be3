import { expect } from 'chai';
import { Formats } from '../../../../adapters/http/reply/formats.ts';
import { HttpService } from '../../../support/http/http-service.ts';
import { permissiveRouteShape } from '../../../support/http/permissive-route-shape.ts';

describe('Requests over HTTP', () => {
  let service: HttpService;

  before(async () => {
    service = await new HttpService({
      bodyLimit: 2000,
      extraRoutes: [
        {
          method: 'GET',
          path: '/broken/{thingId}.{suffix}',
          summary: 'Fail as only a bug does',
          authentication: 'required',
          shape: permissiveRouteShape('failAlways'),
          handle: async () => {
            throw new TypeError('a secret detail');
          },
        },
      ],
    }).start();
  });
  after(() => service.stop());

  const post = (body: unknown, headers = {}) => service.requestAsAdmin('/topic/', { method: 'POST', body, headers });

  it('ignore a trailing slash, and need none', async () => {
    for (const path of ['/apps.json', '/apps.json/', '/apps', '/apps/', '/status', '/status/', '/index.json/'])
      expect((await service.requestAsAdmin(path)).status, path).to.equal(200);
    const made = await service.requestAsAdmin('/topic', { method: 'POST', body: { name: 'slash' } });
    expect(made.status).to.equal(201);
    for (const path of [`/topic/${made.json.id}`, `/topic/${made.json.id}/`, `/topic/${made.json.id}.json/`])
      expect((await service.requestAsAdmin(path)).json.name, path).to.equal('slash');
  });

  it('are answered to HEAD as to GET, without the body', async () => {
    for (const path of ['/apps.json', '/status', '/nothing.json']) {
      const get = await service.requestAsAdmin(path);
      const head = await service.requestAsAdmin(path, { method: 'HEAD' });
      expect(head.status).to.equal(get.status);
      expect(head.text).to.equal('');
      expect(head.headers['content-type']).to.equal(get.headers['content-type']);
      if (get.status === 200) expect(head.headers['content-length']).to.equal(get.headers['content-length']);
    }
    expect((await service.request('/apps.json', { method: 'HEAD' })).status).to.equal(401);
  });

  it('get 405 with Allow for a method that the path does not know, and OPTIONS lists the methods', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
      const response = await service.requestAsAdmin('/apps.json', { method });
      expect([response.status, response.headers['allow'], response.json.code]).to.deep.equal([
        405,
        'GET, HEAD',
        'method_not_allowed',
      ]);
    }
    const options = await service.requestAsAdmin('/topic/1.json', { method: 'OPTIONS' });
    expect([options.status, options.text]).to.deep.equal([204, '']);
    expect(String(options.headers['allow']).split(', ')).to.have.members(['DELETE', 'GET', 'HEAD', 'POST']);
  });

  it('get 404 for unknown paths and suffixes, with the known suffixes', async () => {
    for (const path of ['/nothing', '/app/1/more', '/app/%zz', '/apps.json/x'])
      expect((await service.requestAsAdmin(path)).json.code, path).to.equal('not_found');
    for (const suffix of ['xls', 'tar.gz', 'JSON', 'json.json', '']) {
      const response = await service.requestAsAdmin(`/apps.${suffix}`);
      expect([response.status, response.json.code], suffix).to.deep.equal([404, 'not_found']);
    }
    expect((await service.requestAsAdmin('/app/1.tar.gz')).json.detail).to.equal(
      'There is no format .tar.gz here; the formats are .json, .xml, .yaml, .csv, .html.',
    );
    // A dot begins the suffix behind the last id; an id in the middle of a path has none.
    expect((await service.requestAsAdmin('/app/1.5.json')).json.detail).to.match(/^There is no format \.5\.json here/);
    for (const path of ['/company/1.5/users.json', '/artifact/1.5'])
      expect((await service.requestAsAdmin(path)).status, path).to.equal(400);
    const outside = await service.request('//favicon.ico');
    expect([outside.status, outside.json.code]).to.deep.equal([404, 'not_found']);
  });

  it('get 415 for bodies other than JSON and forms, and for compressed ones', async () => {
    const good = { name: 'typed' };
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/ld+json',
    ])
      expect((await post(good, { 'content-type': type })).status, type).to.be.oneOf([200, 201]);
    for (const type of [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'json',
      'application/jsonx',
    ])
      expect((await post(good, { 'content-type': type })).status, type).to.equal(415);
    for (const coding of ['gzip', 'deflate', 'br', 'rubbish'])
      expect((await post('\x1f\x8b garbage', { 'content-encoding': coding })).status, coding).to.equal(415);
    expect((await post(good, { 'content-encoding': 'identity' })).status).to.equal(200);
  });

  it('get 400 for broken JSON and for bodies that are not objects', async () => {
    for (const body of ['{', '{"name": }', 'nonsense', '{"name":"a"}{}', "{'name': 'a'}"])
      expect((await post(body)).status, body).to.equal(400);
    for (const body of ['[]', '"text"', '12', 'true', 'null']) expect((await post(body)).status, body).to.equal(400);
  });

  it('get 413 for bodies over the limit, with and without Content-Length', async () => {
    const large = JSON.stringify({ name: 'x'.repeat(3000) });
    expect((await post(large)).status).to.equal(413);
    expect((await post(large, { 'transfer-encoding': 'chunked' })).status).to.equal(413);
    const fits = JSON.stringify({ name: 'fits', description: 'x'.repeat(1900) });
    expect((await post(fits)).status).to.equal(201);
  });

  it('get 422 for repeated keys, __proto__ and deep nesting, naming the place', async () => {
    const refused = async (body: string) => {
      const { status, json } = await post(body);
      expect(status, body).to.equal(422);
      return json.errors.map((error: { field: string }) => error.field);
    };
    expect(await refused('{"name": "a", "name": "b"}')).to.deep.equal(['name']);
    expect(await refused('{"name": "a", "na\\u006de": "b"}')).to.deep.equal(['name']);
    expect(await refused('{"__proto__": {"enabled": true}}')).to.deep.equal(['__proto__']);
    expect(await refused('{"a": [{"b": 1}, {"b": 1, "__proto__": 2}]}')).to.deep.equal(['a.1.__proto__']);
    expect(await refused(`{"a":${'['.repeat(500)}${']'.repeat(500)}}`)).to.have.length(1);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const [field, at] of [
      [`environment=${'['.repeat(500)}${']'.repeat(500)}`, /^environment\.0\.0/],
      ['environment={"A":1,"A":2}', /^environment\.A$/],
    ] as const) {
      const nested = await service.requestAsAdmin('/app/', {
        method: 'POST',
        body: `name=a&executable=true&${field}`,
        headers: form,
      });
      expect(nested.status, field).to.equal(422);
      expect(nested.json.errors[0].field).to.match(at);
    }
    expect((await post('{"name": "{\\"a\\": 1, \\"a\\": 2}"}')).status).to.equal(201);
    expect((await post('{"name": "same", "description": "name: name"}')).status).to.equal(201);
  });

  it('get 403 for changes that pages of other sites send, whatever credentials they carry', async () => {
    const refused = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:1' },
      { origin: service.url.replace('http:', 'https:') },
    ];
    for (const headers of refused) {
      const response = await post({ name: 'x' }, headers);
      expect([response.status, response.json.code], JSON.stringify(headers)).to.deep.equal([403, 'denied']);
      const login = await service.request('/login.json', {
        method: 'POST',
        headers,
        body: { login: 'a', password: 'b' },
      });
      expect(login.status).to.equal(403);
      expect((await service.requestAsAdmin('/apps.json', { headers })).status).to.equal(200);
    }
    const own = { origin: new URL(service.url).origin, 'sec-fetch-site': 'same-origin' };
    expect((await post({ name: 'own page' }, own)).status).to.equal(201);
  });

  it('keep a well-formed X-Request-Id', async () => {
    const id = async (given: string) =>
      (await service.requestAsAdmin('/status', { headers: { 'x-request-id': given } })).headers['x-request-id'];
    expect(await id('abc-123')).to.equal('abc-123');
    for (const odd of ['a b', 'x'.repeat(129), '<script>', '']) expect(await id(odd)).to.match(/^[0-9a-f-]{36}$/);
  });

  it('get the security headers with every response', async () => {
    for (const response of [
      await service.requestAsAdmin('/status'),
      await service.request('/status'),
      await service.request('//x'),
    ]) {
      expect(response.headers).to.include({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
      expect(response.headers['content-security-policy']).to.include("default-src 'none'");
      expect(response.headers).not.to.have.any.keys('server', 'x-powered-by', 'strict-transport-security');
    }
  });

  it('get 500 without internals for a bug, which is logged under the request id', async () => {
    const response = await service.requestAsAdmin('/broken/1.json');
    expect(response.status).to.equal(500);
    expect(response.text).not.to.include('secret detail');
    const line = service.logLines.find((each) => each.includes('a secret detail'));
    expect(line).to.include(response.json.request_id);
  });

  it('are logged without their query', async () => {
    await service.request('/ping.json?job=1&key=the-key-itself');
    const line = service.logLines.findLast((each) => each.includes('/ping.json')) as string;
    expect(JSON.parse(line)).to.include({ method: 'GET', path: '/api/v1/ping.json', status: 404, ip: '127.0.0.1' });
    expect(service.logLines.join('')).not.to.include('the-key-itself');
  });

  it('list every endpoint at /index', async () => {
    const { json } = await service.requestAsAdmin('/index.json');
    expect(json).to.deep.include({
      method: 'GET',
      path: '/api/v1/app/{appId}.{suffix}',
      purpose: 'Get an app by its id',
      authentication: 'required',
    });
    const open = json.filter((row: { authentication: string }) => row.authentication === 'none');
    expect(open.map((row: { path: string }) => row.path)).to.have.members([
      '/api/v1/ping.{suffix}',
      '/api/v1/login.{suffix}',
      '/api/v1/login.{suffix}',
      '/healthz',
      '/readyz',
      '/docs',
      '/docs/api',
      '/docs/search',
      '/docs/{section}/{topic}',
      '/docs/alerts.yml',
      '/docs/dashboard.json',
    ]);
    const rows = json.map((row: { method: string; path: string }) => `${row.method} ${row.path}`);
    expect(new Set(rows).size).to.equal(rows.length);
  });

  it('get the status of the service from /status', async () => {
    const { json } = await service.requestAsAdmin('/status');
    expect(json).to.deep.include({ version: '0.0.0-test', database: 'memory', queue: { due: 0, running: 0 } });
    expect(json).to.include.keys('uptime', 'time', 'workers', 'scheduler', 'counts');
    expect((await service.requestAsAdmin('/status.json')).json).to.have.keys(Object.keys(json));
    service.core.database.broken = true;
    expect((await service.request('//readyz')).status).to.equal(503);
    service.core.database.broken = false;
    expect((await service.request('//readyz')).status).to.equal(200);
  });

  it('get a pong from /ping, or 400 for invalid parameters', async () => {
    const before = service.core.clock.now();
    const { json } = await service.request('/ping.json');
    expect(json.pong).to.equal(true);
    expect(Date.parse(json.time)).to.be.within(before, service.core.clock.now());
    for (const query of ['job=1', 'key=a', 'progress=1', 'job=x&key=a', 'job=1&key=a&progress=101', 'colour=red'])
      expect((await service.request(`/ping.json?${query}`)).status, query).to.equal(400);
  });
});

describe('Formats', () => {
  const format = (suffix: string) => ({ suffix, mime: 'text/plain', write: () => '' });

  it('must include JSON', () => {
    expect(() => new Formats([format('xml')])).to.throw('json');
  });

  it('may have suffixes of several parts, and are listed for an unknown suffix', () => {
    const formats = new Formats([format('json'), format('tar.gz')]);
    expect(formats.of('tar.gz').suffix).to.equal('tar.gz');
    expect(formats.of(null).suffix).to.equal('json');
    expect(() => formats.of('gz')).to.throw('the formats are .json, .tar.gz');
  });
});
