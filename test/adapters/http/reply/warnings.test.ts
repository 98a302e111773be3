import type { Route } from '@horarium/core';
import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';
import { permissiveRouteShape } from '../../../support/http/permissive-route-shape.ts';

/** Warns of whatever the request says. */
const warning: Route = {
  method: 'POST',
  path: '/warning.{suffix}',
  summary: 'Warn',
  authentication: 'required',
  shape: permissiveRouteShape('warn'),
  handle: (context) =>
    context.inTransaction(async (tables) => {
      for (const text of JSON.parse(context.text as string).warnings) tables.warn(text);
      return { value: {} };
    }),
};

describe('Warnings over HTTP', () => {
  let service: HttpService;
  let company_id = 0;
  const post = (path: string, body: unknown, headers = {}) =>
    service.requestAsAdmin(path, { method: 'POST', body, headers });
  const credential = (values: object, fields: object = {}) =>
    post('/credential/', { name: 'c', company_id, values, ...fields });

  before(async () => {
    service = await new HttpService({ extraRoutes: [warning] }).start();
    company_id = (await post('/company/', { code: 'acme', name: 'Acme' })).json.id;
  });
  after(() => service.stop());

  it('tell who saves a secret that is too short to be masked, and nobody else', async () => {
    const saved = await credential({ PIN: '4711', PASSWORD: 'tr0ub4dor&3' });
    expect([saved.status, saved.headers['warning']]).to.deep.equal([
      201,
      '299 - "values.PIN is shorter than 6 characters: it is encrypted, but not masked where a job prints it."',
    ]);
    const { id } = saved.json;
    const again = await post(`/credential/${id}.json`, saved.json);
    expect([again.status, again.headers['warning']]).to.deep.equal([200, undefined]);
    const both = await post(`/credential/${id}.json`, { values: { PIN: '0815', ONE: 'é✂🔑', PASSWORD: '123456' } });
    expect(both.headers['warning']).to.match(
      /^299 - "values\.PIN and values\.ONE are shorter than 6 characters: they are/,
    );
    expect((await credential({ PASSWORD: '🔑🔑🔑🔑🔑🔑' }, { name: 'long' })).headers['warning']).to.equal(undefined);
  });

  it('tell who gives a job such a secret', async () => {
    const environment = { TOKEN: { type: 'secret' } };
    const app_id = (await post('/app/', { name: 'a', executable: 'true', environment })).json.id;
    const template = await post('/runtemplate/', {
      name: 't',
      app_id,
      company_id,
      interval: 'none',
      environment: { TOKEN: 'abc' },
    });
    expect(template.headers['warning']).to.include('environment.TOKEN is shorter');
    const scheduled_at = '2099-01-01T00:00:00Z';
    const once = { runtemplate_id: template.json.id, scheduled_at, environment: { TOKEN: 'xyz' } };
    const job = await post('/job/', once);
    expect(job.headers['warning']).to.include('environment.TOKEN is shorter');
    const changed = await post(`/job/${job.json.id}.json`, { environment: { TOKEN: 'uvw' } });
    expect(changed.headers['warning']).to.include('environment.TOKEN is shorter');
  });

  it('are part of the response that is replayed under an Idempotency-Key', async () => {
    const send = () =>
      post('/credential/', { name: 'k', company_id, values: { PIN: '1' } }, { 'idempotency-key': 'k' });
    const [first, replayed] = [await send(), await send()];
    expect(replayed.headers['idempotency-replayed']).to.equal('true');
    expect(replayed.headers['warning']).to.equal(first.headers['warning']).and.to.include('values.PIN');
  });

  it('are shown on pages', async () => {
    const { json } = await credential({ PIN: '1' }, { name: 'page' });
    const { text } = await post(`/credential/${json.id}.html`, { values: { PIN: '<2>' } });
    expect(text).to.match(/<p class="warning" role="status">values\.PIN is shorter than 6 characters/);
  });

  it('each have a value of their own in the header, which stays short and holds what a header can', async () => {
    const two = await post('/warning.json', { warnings: ['a "quoted" \\ word', 'twice', 'twice', 'čeština\n'] });
    expect(two.headers['warning']).to.equal('299 - "a \\"quoted\\" \\\\ word", 299 - "twice", 299 - "?e?tina?"');
    const many = Array.from({ length: 1000 }, (_, index) => `${index} ${'x'.repeat(1000)}`);
    const bounded = (await post('/warning.json', { warnings: many })).headers['warning'];
    expect(bounded)
      .to.have.length.below(4096)
      .and.to.match(/, 299 - "and 99\d more"$/);
  });

  it('may be read by pages of other origins', async () => {
    const other = 'https://app.example.com';
    const cors = await new HttpService({ corsOrigins: [other] }).start();
    const { headers } = await cors.requestAsAdmin('/company/', {
      method: 'POST',
      body: { code: 'acme', name: 'Acme' },
      headers: { origin: other },
    });
    expect(headers['access-control-expose-headers']).to.match(/\bWarning\b/);
    await cors.stop();
  });
});
