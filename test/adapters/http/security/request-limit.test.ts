import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import type { Route, TooManyRequests } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { RequestLimit } from '../../../../adapters/http/security/request-limit.ts';
import type { MovableClock } from '../../../support/clocks/movable-clock.ts';
import { basic, HttpService } from '../../../support/http/http-service.ts';
import { permissiveRouteShape } from '../../../support/http/permissive-route-shape.ts';
import { eventually } from '../../../support/mocha/eventually.ts';

/** Streams until the client leaves. */
const endless: Route = {
  method: 'GET',
  path: '/endless.{suffix}',
  summary: 'Stream until the client leaves',
  authentication: 'required',
  shape: permissiveRouteShape('streamForTest'),
  handle: async ({ request: { signal }, core }) => {
    async function* pieces() {
      for (; !signal.aborted; await core.clock.sleep(60_000, signal)) yield 'piece\n';
    }
    return { stream: { mime: 'text/plain', pieces: pieces() } };
  },
};

async function openStream({ url }: HttpService, authorization: string): Promise<IncomingMessage> {
  const request = httpGet(`${url}/api/v1/endless.json`, { headers: { authorization }, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).to.equal(200);
  return response;
}

describe('The limit of requests', () => {
  it('lets through those that it promises in any stretch of time, and those of ten seconds at once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 300 }),
        (perSecond, waits) => {
          let now = 0;
          const limit = new RequestLimit(perSecond, { elapsed: () => now });
          const accepted: number[] = [];
          for (const wait of waits) {
            now += wait;
            try {
              limit.take(1);
              accepted.push(now);
            } catch (error) {
              const { retryAfter } = error as TooManyRequests;
              expect(retryAfter).to.be.within(0, 1001 / perSecond);
            }
          }
          for (const from of accepted)
            for (const to of accepted.filter((at) => at >= from)) {
              const between = accepted.filter((at) => at >= from && at <= to).length;
              expect(between).to.be.at.most(10 * perSecond + ((to - from) * perSecond) / 1000 + 0.001);
            }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('lets requests that hold the thread for long take a quarter of its time, and a few seconds of it at once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 2000 })), { maxLength: 300 }),
        (perSecond, requests) => {
          let now = 0;
          const limit = new RequestLimit(perSecond, { elapsed: () => now });
          const accepted: { readonly at: number; readonly held: number }[] = [];
          for (const [wait, held] of requests) {
            now += wait;
            try {
              limit.take(1);
            } catch (error) {
              // However long they took.
              expect((error as TooManyRequests).retryAfter).to.be.at.most(10_000 + 1000 / perSecond + 0.001);
              continue;
            }
            accepted.push({ at: now, held });
            for (const part of [held / 3, held]) limit.charge(1, part === held ? held / 3 : 0, part);
          }
          // The last one may take as long as it takes.
          for (const [from, { at: begin }] of accepted.entries())
            for (const [to, { at: end }] of accepted.entries()) {
              const used = accepted.slice(from, to).reduce((sum, { held }) => sum + held, 0);
              if (to > from) expect(used).to.be.at.most((10_000 + end - begin) / 4 + 0.001);
            }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('charges nothing for requests that hold the thread for a quarter of their share of a second', () => {
    const limit = new RequestLimit(100, { elapsed: () => 0 });
    for (let request = 0; request < 1000; request += 1) {
      limit.take(1);
      limit.charge(1, 0, 2.5);
    }
    expect(() => limit.take(1)).to.throw('You may send 100 requests a second');
  });

  it('forgets users who have sent nothing for a while, so that its memory is bounded', () => {
    let now = 0;
    const limit = new RequestLimit(100, { elapsed: () => now });
    for (let user = 1; user <= 100_000; user += 1) {
      now += 1;
      limit.take(user);
    }
    expect(limit.size).to.be.at.most(1001);
  });

  describe('over HTTP', () => {
    let service: HttpService;
    const password = 'correct horse stable';

    beforeEach(async () => {
      service = await new HttpService({ maxRequestsPerSecond: 0.5 }).start();
      await service.core.addUser('anna', password, 'editor');
      await service.core.addUser('bob', password, 'viewer');
    });
    afterEach(() => service.stop());

    const anna = basic('anna', password);
    const bob = basic('bob', password);
    const get = (path = '/apps.json', authorization = anna) => service.request(path, { headers: { authorization } });
    const statuses = async (count: number) => {
      const found: number[] = [];
      for (let request = 0; request < count; request += 1) found.push((await get()).status);
      return found;
    };

    it('answers 429 in the format of the request, and says when to send it again', async () => {
      expect(await statuses(6)).to.deep.equal([200, 200, 200, 200, 200, 429]);
      const refused = await get();
      expect(refused.json).to.include({ status: 429, code: 'too_many_requests' });
      expect(refused.json.detail).to.match(/^You may send 0.5 requests a second/);
      expect(refused.headers['retry-after']).to.equal('2');
      expect((await get('/apps.xml')).text).to.match(/^<\?xml[\s\S]*too_many_requests/);
      service.core.clock.advance(2000);
      expect(await statuses(2)).to.deep.equal([200, 429]);
    });

    it('counts each user for themselves, whatever they sign in with', async () => {
      await statuses(6);
      const { secret } = await service.core.createToken('anna');
      expect((await get('/apps.json', `Bearer ${secret}`)).status).to.equal(429);
      expect((await get('/apps.json', bob)).status).to.equal(200);
      expect((await service.request('/ping.json')).status).to.equal(200);
    });

    it('refuses changes before their bodies and idempotency keys are read, and paths that do not exist', async () => {
      await statuses(6);
      const body = { name: 'topic' };
      const headers = { authorization: anna, 'idempotency-key': 'once' };
      const post = () => service.request('/topic/', { method: 'POST', body, headers });
      expect((await post()).status).to.equal(429);
      expect((await get('/nothing.json')).status).to.equal(429);
      service.core.clock.advance(2000);
      expect((await post()).status).to.equal(201);
    });

    it('holds for requests under way too, so that streams and slow readers of one user shut nobody out', async () => {
      const limited = await new HttpService({ maxRequestsPerSecond: 2, extraRoutes: [endless] }).start();
      await limited.core.addUser('anna', password, 'editor');
      await limited.core.addUser('bob', password, 'viewer');
      const as = (authorization: string) => limited.request('/apps.json', { headers: { authorization } });
      const streams: IncomingMessage[] = [];
      try {
        for (let count = 0; count < 2; count += 1) streams.push(await openStream(limited, anna));
        const refused = await as(anna);
        expect(refused.status).to.equal(429);
        expect(refused.json.detail).to.match(/^2 of your requests are being answered/);
        expect((await as(bob)).status).to.equal(200);
        streams[0]?.destroy();
        await eventually('the end of a stream makes room', async () => {
          limited.core.clock.advance(1000);
          return (await as(anna)).status === 200;
        });
      } finally {
        for (const stream of streams) stream.destroy();
        await limited.stop();
      }
    });

    it('does not hold for admins, who may stop the service anyway, and whose scripts it would stop', async () => {
      for (let request = 0; request < 10; request += 1)
        expect((await get('/apps.json', service.admin)).status).to.equal(200);
    });

    it('charges requests by the time for which they hold the thread', async () => {
      const hog: Route = {
        ...endless,
        path: '/hog.{suffix}',
        shape: permissiveRouteShape('hogForTest'),
        handle: async ({ core }) => {
          (core.clock as MovableClock).advance(1000);
          await core.store.read(async (tables) => {
            (core.clock as MovableClock).advance(1000);
            return tables.now();
          });
          return { value: {} };
        },
      };
      const charging = await new HttpService({ maxRequestsPerSecond: 100, extraRoutes: [hog] }).start();
      const send = async (path: string, authorization: string) =>
        (await charging.request(path, { headers: { authorization } })).status;
      try {
        for (const [login, role] of [
          ['anna', 'editor'],
          ['bob', 'viewer'],
        ] as const)
          await charging.core.addUser(login, password, role);
        const sent = [await send('/hog.json', anna), await send('/hog.json', anna), await send('/hog.json', anna)];
        expect(sent).to.deep.equal([200, 200, 429]);
        expect([await send('/apps.json', anna), await send('/apps.json', bob)]).to.deep.equal([429, 200]);
        charging.core.clock.advance(10_000);
        expect(await send('/apps.json', anna)).to.equal(200);
        for (let request = 0; request < 4; request += 1) expect(await send('/hog.json', charging.admin)).to.equal(200);
      } finally {
        await charging.stop();
      }
    });

    it('is shown as a metric', async () => {
      await statuses(7);
      service.core.clock.advance(2000);
      const { text } = await get('//metrics', service.admin);
      expect(text).to.match(/^horarium_http_requests_limited_total 2$/m);
    });
  });
});
