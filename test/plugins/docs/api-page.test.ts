import { HorariumError } from '@horarium/core';
import type { Route } from '@horarium/core/plugin';
import { expect } from 'chai';
import { apiRoutes } from '../../../adapters/http/routes/api-routes.ts';
import { docsRoutes } from '../../../plugins/docs/plugin.ts';
import { readHtml } from '../../support/formats/read-html.ts';
import { HttpService, type ServiceOptions } from '../../support/http/http-service.ts';
import { routeRegistry } from '../../support/http/plugin-registries.ts';

/** A route as another plugin may provide it. */
const greeting: Route = {
  method: 'GET',
  path: '/greeting',
  summary: 'Greet & <wave>',
  authentication: 'required',
  suffixOptional: true,
  shape: {
    operation: 'greet',
    tag: 'greetings',
    responses: { 200: { description: 'A greeting.', body: { schema: { type: 'string' }, example: 'hello' } } },
  },
  handle: async ({ actor }) => ({
    value: `hello ${actor.name}`,
    shape: { kind: 'item', name: 'greeting', fields: null },
  }),
};

describe('The page on the API', () => {
  const codeOf = async (options: ServiceOptions) => {
    const service = await new HttpService(options).start();
    try {
      const { text, headers } = await service.request('//docs/api');
      const page = readHtml(text);
      return { url: service.url, text, headers, code: page.all('code').map((element) => element.text) };
    } finally {
      await service.stop();
    }
  };

  it('shows the address that the service listens on in its examples', async () => {
    const { url, code, text } = await codeOf({});
    expect(url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(code).to.include(`HORARIUM=${url}/api/v1`);
    expect(text).to.not.include('8080');
  });

  it('shows the public address where there is one', async () => {
    const { code } = await codeOf({ publicUrl: 'https://jobs.example/' });
    expect(code).to.include('HORARIUM=https://jobs.example/api/v1');
  });

  it('needs no script and nothing from elsewhere', async () => {
    const { headers, text } = await codeOf({});
    expect(headers['content-security-policy']).to.match(/^default-src 'none'; style-src 'sha256-[^']+';/);
    expect(text).to.not.match(/<script|<img|<link|@import|url\(/);
  });

  it('describes routes that plugins provide, escaping their texts', async () => {
    const { text } = await codeOf({ extraRoutes: [greeting] });
    expect(text).to.include('id="greet"').and.to.include('Greet &amp; &lt;wave&gt;').and.to.not.include('<wave>');
  });
});

describe('A route of a plugin', () => {
  it('is served and described like the others', async () => {
    const service = await new HttpService({ extraRoutes: [greeting] }).start();
    try {
      expect((await service.requestAsAdmin('/greeting')).json).to.equal('hello root');
      expect((await service.request('/greeting')).status).to.equal(401);
      const { json } = await service.requestAsAdmin('/openapi.json');
      expect(json.paths['/greeting.{suffix}'].get).to.include({ operationId: 'greet' });
      expect(json.tags.map(({ name }: { name: string }) => name)).to.include('greetings');
    } finally {
      await service.stop();
    }
  });

  it('is refused where the service has the route itself', () => {
    expect(() => apiRoutes([], routeRegistry('greetings', ...docsRoutes, { ...greeting, path: '/status' })))
      .to.throw(HorariumError)
      .with.property('message', 'The plugin greetings provides the route GET /status, which the API has already.');
  });
});
