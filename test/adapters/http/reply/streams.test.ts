import { allTables, type Format, type Route, systemClock, Topic, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { openSqliteStore } from '../../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import { inSingleSteps } from '../../../support/clocks/single-steps.ts';
import { basic, HttpService } from '../../../support/http/http-service.ts';
import { permissiveRouteShape } from '../../../support/http/permissive-route-shape.ts';
import { eventually } from '../../../support/mocha/eventually.ts';
import { MemoryCore } from '../../../support/worlds/memory-core.ts';

describe('Lists with limit=all that are sent at the same time', () => {
  it('give way to each other and to the rest of the service after each page, on SQLite', async () => {
    const options = { file: ':memory:', tables: allTables, clock: systemClock, synchronous: 'normal' } as const;
    await using store = await openSqliteStore(options);
    await store.schema.create();
    let pages = 0;
    const counted: Format = {
      suffix: 'counted',
      mime: 'text/plain',
      write: () => '',
      async *writeList(written) {
        for await (const page of written) {
          pages += 1;
          yield JSON.stringify(page);
        }
      },
    };
    const core = new MemoryCore({ store });
    const service = await new HttpService({ core, extraFormats: [counted] }).start();
    const topics = Array.from({ length: 1000 }, (_, n) => newRow(Topic, { name: `topic ${n}` }));
    await core.store.transaction(trustedActor('test'), (tables) => tables.of(Topic).insert(topics));
    let all = 0;
    const inTurns: number[] = [];
    const readAll = () =>
      Promise.all(Array.from({ length: 20 }, () => service.requestAsAdmin('/auditlog.counted?limit=all')));
    const { result } = await inSingleSteps(readAll, () => {
      inTurns.push(pages);
      all += pages;
      pages = 0;
    });
    await service.stop();
    expect(new Set(result.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(all).to.be.at.least(20 * 5);
    expect(Math.max(...inTurns)).to.equal(1);
  });
});

describe('Lists with limit=all', () => {
  /** Ends the lists that are being sent. */
  let end = (): void => undefined;
  const slow: Route = {
    method: 'GET',
    path: '/slow.{suffix}',
    summary: 'List until the test ends it',
    authentication: 'required',
    shape: permissiveRouteShape('listSlowly', { limit: { description: 'All.', schema: { const: 'all' } } }),
    handle: async () => {
      async function* pages() {
        yield [{ id: 1 }];
        await new Promise<void>((resolve) => {
          const others = end;
          end = () => {
            others();
            resolve();
          };
        });
      }
      return { pages: pages(), shape: { kind: 'list', name: 'thing', fields: null } };
    },
  };
  const password = 'correct horse stable';
  let service: HttpService;

  before(async () => {
    service = await new HttpService({ extraRoutes: [slow] }).start();
    for (let user = 1; user <= 5; user += 1) await service.core.addUser(`user${user}`, password, 'viewer');
  });
  after(async () => {
    end();
    await service.stop();
  });

  it('are sent two at a time to a user and eight at a time to all but admins, further ones are refused with 429', async () => {
    const under = () => service.logLines.filter((line) => /GET [^ ]*slow.json 200/.test(line)).length;
    const sent: Promise<unknown>[] = [];
    const list = (user: number, path = '/slow.json?limit=all') =>
      service.request(path, { headers: { authorization: basic(`user${user}`, password) } });
    const begin = async (request: Promise<unknown>) => {
      sent.push(request);
      await eventually('the list is being sent', () => under() === sent.length);
    };
    for (const user of [1, 1]) await begin(list(user));
    const { status, json, headers } = await list(1);
    expect([status, headers['retry-after']]).to.deep.equal([429, '1']);
    expect(json.detail).to.match(/^2 lists with limit=all are being sent to you; wait/);
    expect((await list(1, '/topics.json?limit=10')).status).to.equal(200);
    for (const user of [2, 2, 3, 3, 4, 4]) await begin(list(user));
    expect((await list(5)).json.detail).to.match(/^8 lists with limit=all are being sent to users; wait/);
    await begin(service.requestAsAdmin('/slow.json?limit=all'));
    end();
    await Promise.all(sent);
    await eventually('lists are sent again', async () => (await list(1, '/topics.json?limit=all')).status === 200);
  });
});
