import { randomBytes } from 'node:crypto';
import { Event, EventSource, type EventSourceKind, Job, mask, systemClock } from '@horarium/core';
import { eventSourceContract, StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { EventProcessor } from '#core/event/processor/event-processor';
import { hookRoute } from '../../../plugins/event-source-webhook/hook-route.ts';
import plugin from '../../../plugins/event-source-webhook/plugin.ts';
import { HttpService, type TestResponse } from '../../support/http/http-service.ts';
import { unfinished } from '../../support/http/unfinished-request.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

function webhookKind(): EventSourceKind {
  const [kind] = plugin.eventSourceKinds?.({ options: {}, clock: new StandingClock(), log: () => {} }) ?? [];
  return kind as EventSourceKind;
}

describe('The kind webhook', () => {
  const sources = () => ({
    kind: webhookKind(),
    readable: { secret: newSecret(), previous_secret: null },
    unreadable: [],
    unresponsive: [],
    events: async () => [],
    connections: () => 0,
  });
  defineContractTests(eventSourceContract(sources, systemClock, { isRead: false }));
});

describe('A webhook', () => {
  const [secret, other] = [newSecret(), newSecret()];
  let service: HttpService;
  let source: number;
  let template: number;

  const save = async (path: string, body: object) => {
    const response = await service.requestAsAdmin(path, { method: 'POST', body });
    expect(response.status, response.text).to.be.oneOf([200, 201]);
    return response.json;
  };
  const now = () => new Date(service.core.clock.now());
  /** Sends a message that the library standardwebhooks signs. */
  const send = (
    id: string,
    body: unknown,
    { key = secret, at = now(), name = 'shop', headers = {}, signed = body as unknown } = {},
  ): Promise<TestResponse> => {
    const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
    const signature = new Webhook(key).sign(id, at, text(signed));
    const timestamp = `${Math.floor(at.getTime() / 1000)}`;
    const standard = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    return service.request(`//hook/${name}`, {
      method: 'POST',
      body: text(body),
      headers: { ...standard, ...headers },
    });
  };
  const events = () => service.core.store.read((tables) => tables.of(Event).find());
  const jobs = () => service.core.store.read((tables) => tables.of(Job).find());
  const process = () => {
    const { store, clock, vault } = service.core;
    return new EventProcessor({ store, clock, vault, poll: 1000, matchesPattern: () => false }).tick();
  };
  const lastError = async () => {
    const [row] = await service.core.store.read((tables) =>
      tables.of(EventSource).find({ where: [['id', '=', source]] }),
    );
    return row?.last_error;
  };
  const order = { type: 'order.created', timestamp: '2026-11-21T05:00:00Z', data: { id: 'o-1', total: 12.5 } };

  beforeEach(async () => {
    service = await new HttpService({ extraRoutes: [hookRoute] }).start();
    service.core.eventSourceKinds.set('webhook', webhookKind());
    const company = await save('/company/', { code: 'acme', name: 'Acme' });
    const environment = { ORDER: { type: 'string' }, TOTAL: { type: 'string' } };
    const app = await save('/app/', { name: 'Invoice', executable: '/bin/true', environment });
    const fields = { name: 'invoice', app_id: app.id, company_id: company.id, interval: 'none', overlap: 'allow' };
    template = (await save('/runtemplate/', fields)).id;
    source = (await save('/eventsource/', { name: 'shop', kind: 'webhook', options: { secret } })).id;
    const env_mapping = { ORDER: '$.data.id', TOTAL: '$.data.total' };
    const rule = { event_source_id: source, runtemplate_id: template, evidence: 'order.*', env_mapping };
    await save('/eventrule/', rule);
  });
  afterEach(() => service.stop());

  it('that is signed starts what reacts to it, and is answered by 202 with the id of its event', async () => {
    const response = await send('msg_1', order);
    await process();
    const [event] = await events();
    expect([response.status, response.json]).to.deep.equal([202, { event_id: event?.id }]);
    expect(event).to.include({
      key: 'msg_1',
      evidence: 'order.created',
      operation: 'create',
      record_id: 'o-1',
      state: 'done',
    });
    expect(event?.payload).to.deep.equal(order);
    const [job] = await jobs();
    expect([job?.runtemplate_id, job?.trigger]).to.deep.equal([template, 'event']);
    expect(job?.overrides).to.include({ ORDER: 'o-1', TOTAL: '12.5', EVENT_ID: `${event?.id}` });
  });

  it('that is delivered again, alone or ten times at once, starts nothing more', async () => {
    const first = (await send('msg_1', order)).json;
    const again = await Promise.all(Array.from({ length: 10 }, () => send('msg_1', order)));
    expect(again.map(({ status, json }) => [status, json])).to.deep.equal(again.map(() => [202, first]));
    await process();
    expect(await jobs()).to.have.length(1);
    const twins = await Promise.all(Array.from({ length: 10 }, () => send('msg_2', order)));
    expect(new Set(twins.map(({ json }) => json.event_id)).size).to.equal(1);
    await process();
    expect(await jobs()).to.have.length(2);
  });

  it('is accepted with either key while they rotate', async () => {
    await save(`/eventsource/${source}.json`, { options: { secret: other, previous_secret: secret } });
    expect((await send('msg_1', order, { key: secret })).status).to.equal(202);
    expect((await send('msg_2', order, { key: other })).status).to.equal(202);
    await save(`/eventsource/${source}.json`, { options: { secret: other, previous_secret: null } });
    expect((await send('msg_3', order, { key: secret })).status).to.equal(403);
    expect((await send('msg_4', order, { key: other })).status).to.equal(202);
  });

  const refusals: readonly (readonly [string, Parameters<typeof send>[2] & object, RegExp])[] = [
    ['unsigned', { headers: { 'webhook-signature': '' } }, /It is not signed/],
    ['signed by another key', { key: other }, /None of its signatures was made with a key of this webhook/],
    ['signed for another body', { signed: { ...order, data: { id: 'o-2' } } }, /None of its signatures/],
    ['signed with two ids', { headers: { 'webhook-id': ['msg_1', 'msg_2'] as never } }, /It is not signed/],
    ['late', { at: new Date(Date.UTC(2026, 0, 1)) }, /It was signed \d+ s before now; 300 s are accepted/],
  ];
  for (const [what, how, reason] of refusals)
    it(`that is ${what} is refused, which last_error shows until one is accepted`, async () => {
      const { status, json } = await send('msg_1', order, how);
      expect(status).to.equal(403);
      expect(json.detail).to.match(reason);
      expect(await events()).to.deep.equal([]);
      expect(await lastError()).to.match(new RegExp(`^a request from \\S+ was refused: ${reason.source}`));
      expect((await send('msg_1', order)).status).to.equal(202);
      expect(await lastError()).to.equal(null);
    });

  it('whose body is no object of JSON is refused', async () => {
    expect((await send('msg_1', '[1]')).status).to.equal(422);
    expect((await send('msg_1', '{"a": 1')).status).to.equal(422);
    const { json, status } = await send('msg_1', '');
    expect([status, json.code]).to.deep.equal([422, 'invalid']);
    expect(await events()).to.deep.equal([]);
  });

  it('may be a megabyte long, and no longer', async () => {
    const long = (size: number) => ({ type: 'order.created', data: { id: 'o-1', total: 1, text: 'x'.repeat(size) } });
    expect((await send('msg_1', long(1_000_000))).status).to.equal(202);
    const { status, json } = await send('msg_2', long(1_100_000));
    expect([status, json.detail]).to.deep.equal([413, 'The body is larger than 1048576 bytes.']);
    expect(await lastError()).to.match(/was refused: The body is larger than 1048576 bytes/);
  });

  it('is refused with 415 unless it is declared as plain JSON', async () => {
    for (const [type, status] of [
      ['text/plain', 415],
      ['application/x-www-form-urlencoded', 415],
      ['application/cloudevents+json; charset=utf-8', 202],
    ] as const)
      expect((await send(`msg_${type}`, order, { headers: { 'content-type': type } })).status, type).to.equal(status);
    const packed = await send('msg_gzip', order, { headers: { 'content-encoding': 'gzip' } });
    expect([packed.status, packed.json.code]).to.deep.equal([415, 'unsupported_media_type']);
    expect(await lastError()).to.equal(null);
  });

  it('is answered before its body is there where no source has its name', async () => {
    const { status } = await unfinished(`${service.url}/hook/missing`, { 'content-type': 'application/json' });
    expect(status).to.equal(404);
  });

  it('may have 16 KiB from where too much was refused lately', async () => {
    for (let count = 0; count < 7; count++) await send('msg_1', order, { key: other });
    const sized = (size: number) => ({ type: 'order.created', data: { id: 'o-1', total: 1, text: 'x'.repeat(size) } });
    expect((await send('msg_1', sized(17_000))).status).to.equal(429);
    expect((await send('msg_2', sized(15_000))).status).to.equal(202);
  });

  it('that is signed does not count as a guess of the key when it is refused for what it says', async () => {
    const signedWrong = await Promise.all(Array.from({ length: 8 }, () => send('msg_1', '{"a": 1')));
    expect(new Set(signedWrong.map(({ status }) => status))).to.deep.equal(new Set([422]));
    expect(await lastError()).to.match(/^a request from \S+ was refused: /);
    expect((await send('msg_1', order, { key: other })).status).to.equal(403);
  });

  it('is not found under the name of no source, of a disabled one and of one of another kind', async () => {
    await save('/eventsource/', { name: 'closed', kind: 'webhook', options: { secret }, enabled: false });
    service.core.eventSourceKinds.set('other', { ...webhookKind(), name: 'other' });
    await save('/eventsource/', { name: 'elsewhere', kind: 'other', options: { secret } });
    for (const name of ['missing', 'closed', 'elsewhere']) {
      const { status, json } = await send('msg_1', order, { name });
      expect([status, json.detail]).to.deep.equal([404, 'There is no event source of this name to send to.']);
    }
  });

  it('is refused over plain HTTP beyond this machine, before its signature is looked at', async () => {
    const { status, json } = await send('msg_1', order, { headers: { host: 'horarium.example' } });
    expect([status, json.code]).to.deep.equal([403, 'https_required']);
  });

  it('is slowed down after many refusals, while signed ones are accepted', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 8; count++) statuses.push((await send('msg_1', order, { key: other })).status);
    expect(statuses.slice(0, 5)).to.deep.equal([403, 403, 403, 403, 403]);
    expect(statuses.at(-1)).to.equal(429);
    expect((await send('msg_1', order)).status).to.equal(202);
  });

  it('has keys of 24 to 64 bytes, which no response shows', async () => {
    const bad = await service.requestAsAdmin('/eventsource/', {
      method: 'POST',
      body: { name: 'weak', kind: 'webhook', options: { secret: 'whsec_c2hvcnQ=' } },
    });
    expect([bad.status, bad.json.errors[0]]).to.deep.equal([
      422,
      { field: 'options.secret', message: 'options.secret must be whsec_ and 24 to 64 bytes in base64' },
    ]);
    const shown = await service.requestAsAdmin(`/eventsource/${source}.json`);
    expect(shown.json.options).to.deep.equal({ secret: mask });
    expect(service.logLines.join('')).not.to.include(secret.slice(6));
  });

  it('is described in the OpenAPI document', () => {
    const operation = (
      service.document.paths['/hook/{name}'] as { post: { parameters: { name: string; in: string }[] } }
    ).post;
    expect(operation.parameters.map(({ name, in: place }) => `${place} ${name}`)).to.deep.equal([
      'path name',
      'header webhook-id',
      'header webhook-timestamp',
      'header webhook-signature',
    ]);
  });
});
