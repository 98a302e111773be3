import { flag, text } from '@horarium/core';
import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';

describe('Event sources over HTTP', () => {
  let service: HttpService;
  let id: number;
  let probe: (options: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<void>;
  const secret = 'tr0ub4dor&3';

  const post = (path: string, body: unknown = {}) => service.requestAsAdmin(path, { method: 'POST', body });
  const test = () => post(`/eventsource/${id}/test.json`);

  before(async () => {
    service = await new HttpService().start();
    service.core.eventSourceKinds.set('table', {
      name: 'table',
      options: { host: text(255).required(), password: text(255, { secret: 'encrypted' }), quick: flag(true) },
      probe: (options, signal) => probe(options, signal),
    });
    const fields = { name: 'orders', kind: 'table', options: { host: 'db', password: secret } };
    const made = await post('/eventsource/', fields);
    expect(made.json.options).to.deep.equal({ host: 'db', password: '••••••••' });
    id = made.json.id;
  });
  after(() => service.stop());

  it('probes a source through its kind, with the secrets of its options decrypted', async () => {
    let given: unknown;
    probe = async (options) => {
      given = options;
    };
    const { status, json } = await test();
    expect([status, json.reachable]).to.deep.equal([200, true]);
    expect(json.latency_ms).to.be.a('number');
    expect(given).to.deep.equal({ host: 'db', password: secret, quick: true });
  });

  it('answers why a source is unreachable, with secrets masked', async () => {
    probe = async () => {
      throw new Error(`cannot sign in with ${secret} here`);
    };
    const { status, json, text } = await test();
    expect([status, json.reachable, json.message]).to.deep.equal([200, false, 'cannot sign in with •••••••• here']);
    expect(text + service.logLines.join('')).not.to.include(secret);
  });

  it('does not repeat the response under an idempotency key to a user who may no longer test sources', async () => {
    probe = async () => undefined;
    const user = await service.core.addUser('eva', 'a long enough one', 'admin');
    const authorization = `Bearer ${(await service.core.createToken('eva')).secret}`;
    const headers = { authorization, 'idempotency-key': 'once' };
    const again = () => service.requestAsAdmin(`/eventsource/${id}/test.json`, { method: 'POST', headers });
    expect([(await again()).status, (await again()).headers['idempotency-replayed']]).to.deep.equal([200, 'true']);
    await post(`/user/${user}/roles/`, { roles: ['viewer'] });
    expect((await again()).status).to.equal(403);
  });

  it('connects once for a request that is repeated under one Idempotency-Key', async () => {
    let connections = 0;
    probe = async () => {
      connections++;
      if (connections > 1) throw new Error('the repeat connected too');
    };
    const headers = { 'idempotency-key': 'probed-once' };
    const send = () => service.requestAsAdmin(`/eventsource/${id}/test.json`, { method: 'POST', headers });
    const [first, again] = [await send(), await send()];
    expect([first.json.reachable, connections]).to.deep.equal([true, 1]);
    expect([again.text, again.headers['idempotency-replayed']]).to.deep.equal([first.text, 'true']);
  });

  it('ends a probe after five seconds and aborts it', async () => {
    let released = false;
    probe = (_options, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          released = true;
          reject(new Error('too late'));
        });
      });
    const { core } = service;
    const sleep = core.clock.sleep.bind(core.clock);
    const asked: number[] = [];
    core.clock.sleep = async (duration) => {
      asked.push(duration);
    };
    const { json } = await test();
    core.clock.sleep = sleep;
    expect(asked).to.deep.equal([5000]);
    expect([json.reachable, json.message, released]).to.deep.equal([false, 'It did not answer within 5 s.', true]);
  });

  it('allows only admins to test a source', async () => {
    probe = async () => undefined;
    await service.core.addUser('editor', 'a long enough one', 'editor');
    await service.core.addUser('roleless', 'a long enough one', null);
    const as = async (login: string) => {
      const headers = { authorization: `Bearer ${(await service.core.createToken(login)).secret}` };
      return (await service.request(`/eventsource/${id}/test.json`, { method: 'POST', headers })).status;
    };
    expect([await as('editor'), await as('roleless')]).to.deep.equal([403, 404]);
    expect((await post('/eventsource/999999/test')).status).to.equal(404);
  });

  it('rejects to test a source whose plugin is no longer loaded', async () => {
    const kind = service.core.eventSourceKinds.get('table');
    service.core.eventSourceKinds.delete('table');
    const { status, json } = await test();
    expect([status, json.detail]).to.deep.equal([
      409,
      `EventSource ${id} cannot be tested: no loaded plugin provides the event source kind table.`,
    ]);
    if (kind) service.core.eventSourceKinds.set('table', kind);
  });
});
