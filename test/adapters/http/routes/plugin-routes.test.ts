import type { Route } from '@horarium/core';
import { expect } from 'chai';
import { Registry } from '#core/registry/registry';
import { apiRoutes } from '../../../../adapters/http/routes/api-routes.ts';
import { HttpService } from '../../../support/http/http-service.ts';
import { permissiveRouteShape } from '../../../support/http/permissive-route-shape.ts';

function route(method: Route['method'], path: string, more: Partial<Route> = {}): Route {
  return {
    method,
    path,
    summary: 'Describe its context',
    authentication: 'required',
    shape: permissiveRouteShape('describeContext'),
    handle: async ({ core, actor, api: { openApi, serviceUrl, resources }, text, body }) => ({
      value: {
        version: core.version,
        actor: actor.name,
        paths: Object.keys(openApi.paths),
        serviceUrl,
        resources: resources.map(({ name }) => name),
        text,
        body,
      },
    }),
    ...more,
  };
}

function registry(...routes: readonly Route[]): Registry<Route> {
  const registered = new Registry<Route>('route');
  for (const each of routes) registered.put(`${each.method} ${each.path}`, each, 'shop');
  return registered;
}

describe('The routes of plugins', () => {
  let service: HttpService;

  before(async () => {
    service = await new HttpService({
      extraRoutes: [
        route('GET', '/context.{suffix}'),
        route('GET', '/quiet-menu.{suffix}', { hidden: true }),
        route('GET', '/quiet-page', { hidden: true, atRoot: true, authentication: 'none' }),
        route('POST', '/hook/{hookId}', {
          shape: permissiveRouteShape('takeHook'),
          atRoot: true,
          authentication: 'none',
        }),
      ],
    }).start();
  });
  after(() => service.stop());

  it('get core, the resources, the OpenAPI document and the URL that the service listens on', async () => {
    const { json } = await service.requestAsAdmin('/context.json');
    expect(json).to.deep.include({ version: service.core.version, actor: 'root', serviceUrl: service.url, text: null });
    expect(json.paths).to.include('/context.{suffix}');
    expect(json.resources).to.include.members(['App', 'AuditLog']);
  });

  it('get the public URL of the service where it is set', async () => {
    const publicUrl = 'https://jobs.example.com/horarium';
    const own = await new HttpService({ publicUrl, extraRoutes: [route('GET', '/context.{suffix}')] }).start();
    expect((await own.requestAsAdmin('/context.json')).json.serviceUrl).to.equal(publicUrl);
    await own.stop();
  });

  it('may be mounted at the root, with the body as it was sent', async () => {
    const { status, json } = await service.request('//hook/7', { method: 'POST', body: '{"a":  1}' });
    expect(status).to.equal(200);
    expect(json).to.deep.include({
      actor: 'anonymous',
      text: '{"a":  1}',
      body: { kind: 'json', value: { a: 1 } },
    });
    expect((await service.requestAsAdmin('/hook/7', { method: 'POST', body: {} })).status).to.equal(404);
  });

  it('are described nowhere where they are hidden, and answer all the same', async () => {
    const [menu, page] = ['/api/v1/quiet-menu.json', '/quiet-page'];
    const headers = { authorization: service.admin };
    expect((await service.requestUndescribed(menu, { headers })).json.actor).to.equal('root');
    expect((await service.requestUndescribed(menu)).status).to.equal(401);
    expect((await service.requestUndescribed(page)).json.actor).to.equal('anonymous');
    expect((await service.requestUndescribed(page, { method: 'POST' })).headers['allow']).to.equal('GET, HEAD');
    for (const path of ['/openapi.json', '/index.json', '/index.html', '/companies.html'])
      expect((await service.requestAsAdmin(path)).text).not.to.include('quiet-');
    expect((await service.request('//docs/api')).text).not.to.include('quiet-');
  });

  it('are blamed by name for their mistakes, whose messages only the log has', async () => {
    const broken = route('GET', '/broken.{suffix}', {
      handle: async ({ core, actor }) => ({ value: await core.taskSummary(actor, {} as never) }),
    });
    const careless = route('GET', '/careless.{suffix}', {
      handle: () => {
        throw new TypeError('orders is undefined');
      },
    });
    const extraRoutes = apiRoutes([], registry(broken, careless)).slice(-2);
    const own = await new HttpService({ extraRoutes }).start();
    const { status, json } = await own.requestAsAdmin('/careless.json');
    expect([status, json.detail]).to.deep.equal([
      500,
      'The plugin shop failed; the log tells more under this request id.',
    ]);
    expect(own.logLines.join('')).to.contain('The plugin shop failed: orders is undefined');
    const summary = await own.requestAsAdmin('/broken.json');
    expect([summary.status, summary.json.detail]).to.deep.equal([
      400,
      'to must be a time in milliseconds since 1970, not undefined.',
    ]);
    await own.stop();
  });

  it('are part of the table, after the API’s own', () => {
    const own = apiRoutes([]);
    const added = route('GET', '/shop/{shopId}.{suffix}');
    const paths = apiRoutes([], registry(added)).map(({ path }) => path);
    expect(paths.slice(own.length)).to.deep.equal([added.path]);
  });

  for (const [method, path, atRoot] of [
    ['GET', '/status', false],
    ['GET', '/job/{anyId}/output.{suffix}', false],
    ['POST', '/login', false],
    ['GET', '/healthz', true],
    ['GET', '/metrics', true],
    ['GET', '/api/v1/status', true],
    ['GET', '/console/api/status', true],
    ['POST', '/console/api/session', true],
    ['GET', '/session', false],
  ] as const)
    it(`are refused at ${method} ${path}${atRoot ? ' at the root' : ''}, which the API has already`, () => {
      expect(() => apiRoutes([], registry(route(method, path, { atRoot })))).to.throw(
        `The plugin shop provides the route ${method} ${path}, which the API has already.`,
      );
    });
});
