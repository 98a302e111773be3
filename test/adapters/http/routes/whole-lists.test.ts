import { type Format, type Route, Topic, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { HttpService } from '../../../support/http/http-service.ts';
import { permissiveRouteShape } from '../../../support/http/permissive-route-shape.ts';

const nameOf = (n: number) => `topic ${String(n).padStart(4, '0')}`;

/** A list whose second page fails. */
const breaking: Route = {
  method: 'GET',
  path: '/breaking.{suffix}',
  summary: 'List until the database is gone',
  authentication: 'required',
  shape: permissiveRouteShape('listUntilBroken', { limit: { description: 'All.', schema: { const: 'all' } } }),
  handle: async () => {
    async function* pages() {
      yield [{ id: 1 }];
      throw new Error('the database is gone');
    }
    return { pages: pages(), shape: { kind: 'list', name: 'thing', fields: null } };
  },
};

const whole: Format = { suffix: 'whole', mime: 'text/plain', write: (value) => JSON.stringify(value) };

describe('Whole lists over HTTP', () => {
  const many = 2100;
  let service: HttpService;

  before(async () => {
    service = await new HttpService({ extraRoutes: [breaking], extraFormats: [whole] }).start();
    await service.core.store.transaction(trustedActor('test'), async (tables) => {
      await tables.of(Topic).insert(Array.from({ length: many }, (_, n) => newRow(Topic, { name: nameOf(n) })));
    });
  });
  after(() => service.stop());

  it('are streamed as one response of any length, with their total count', async () => {
    const response = await service.requestAsAdmin('/topics.json?limit=all&order=name');
    expect(response.status).to.equal(200);
    expect(response.headers).to.include({ 'transfer-encoding': 'chunked', 'x-total-count': String(many) });
    expect(response.headers).not.to.have.property('link');
    const names = response.json.map((each: { name: string }) => each.name);
    expect(names).to.deep.equal(Array.from({ length: many }, (_, n) => nameOf(n)));
  });

  it('accept filters, order, offset and cursor like pages', async () => {
    expect(
      (await service.requestAsAdmin(`/topics.json?limit=all&name=${encodeURIComponent(nameOf(7))}`)).json,
    ).to.have.length(1);
    expect((await service.requestAsAdmin('/topics.json?limit=all&offset=2000')).json).to.have.length(100);
    const none = await service.requestAsAdmin('/topics.json?limit=all&name=nothing');
    expect([none.text, none.headers['x-total-count']]).to.deep.equal(['[]\n', '0']);
    for (const wrong of ['order=color', 'after=rubbish', 'colour=red', 'offset=-1'])
      expect((await service.requestAsAdmin(`/topics.json?limit=all&${wrong}`)).status, wrong).to.equal(400);
  });

  it('are not read for HEAD', async () => {
    const head = await service.requestAsAdmin('/topics.json?limit=all', { method: 'HEAD' });
    expect([head.status, head.text, head.headers['x-total-count']]).to.deep.equal([200, '', String(many)]);
  });

  it('are refused in formats that would need to hold them in memory', async () => {
    expect((await service.requestAsAdmin('/topics.whole?limit=2')).status).to.equal(200);
    const response = await service.requestAsAdmin('/topics.whole?limit=all');
    expect(response.status).to.equal(400);
    expect(response.text).to.include('limit=all is not possible in .whole');
  });

  it('abort the connection when they cannot be read to the end, so that no part is taken for the whole', async () => {
    const error = await service.requestAsAdmin('/breaking.json').catch((reason: NodeJS.ErrnoException) => reason);
    expect(error).to.include({ code: 'ECONNRESET' });
    expect(service.logLines.join('')).to.include('the database is gone');
    expect((await service.request('/ping')).status).to.equal(200);
  });
});
