import { gunzipSync } from 'node:zlib';
import { Task, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { JobWorld } from '../../../support/worlds/job-world.ts';

const hour = 3_600_000;

describe('The timeline over HTTP', () => {
  const world = new JobWorld();
  const { service } = world;
  const from = Date.UTC(2026, 0, 1);
  let ids: readonly number[];

  before(async () => {
    await world.open();
    const { id: runtemplate_id, company_id } = world.template;
    const tasks = [0, 1, 2].map((number) => {
      const window_start = from + number * hour;
      const window = { window_start, window_end: window_start + hour, deadline: window_start + hour / 2 };
      const ended = { state: 'failed', ended_at: window_start + 60_000 } as const;
      return newRow(Task, { runtemplate_id, company_id, ...window, ...ended });
    });
    ids = await service.core.store.transaction(trustedActor('test'), (tables) => tables.of(Task).insert(tasks));
  });
  after(() => world.close());

  const get = (query: string) => service.requestAsAdmin(`/tasks/timeline.json?from=2026-01-01T00:00:00Z&${query}`);

  it('lists Tasks one by one, in milliseconds after its start', async () => {
    const { status, json } = await get(
      `to=2026-01-01T03:00:00Z&runtemplate_id=${world.template.id}&state=failed,missed`,
    );
    expect(status).to.equal(200);
    expect(json).to.include({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-01T03:00:00.000Z',
      slots: 200,
      slot: 54_000,
    });
    const [row] = json.templates;
    expect(row).to.include({ id: world.template.id, counts: null });
    expect(row.tasks).to.deep.include({
      id: ids,
      start: [0, hour, 2 * hour],
      deadline: [hour / 2, 1.5 * hour, 2.5 * hour],
    });
    expect(row.tasks.state.map((state: number) => json.states[state])).to.deep.equal(['failed', 'failed', 'failed']);
  });

  it('counts Tasks by slot where there are more than half as many as slots', async () => {
    const { json } = await get('to=2026-01-01T04:00:00Z&slots=4');
    const row = json.templates.find(({ id }: { id: number }) => id === world.template.id);
    expect(row.tasks).to.equal(null);
    expect(row.counts).to.deep.equal({
      failed: [
        [0, 1],
        [1, 1],
        [2, 1],
      ],
    });
  });

  it('is compressed for clients that take gzip', async () => {
    const path = '/api/v1/tasks/timeline.json?from=2026-01-01T00:00:00Z&to=2026-01-01T03:00:00Z&slots=1';
    const ask = (headers: Readonly<Record<string, string>>) =>
      service.requestUndescribed(path, { headers: { authorization: service.admin, ...headers } });
    const plain = await ask({});
    expect(plain.headers).to.include({ vary: 'Accept-Encoding' }).and.not.to.have.property('content-encoding');
    const compressed = await ask({ 'accept-encoding': 'gzip, deflate, br' });
    expect(compressed.headers).to.include({ vary: 'Accept-Encoding', 'content-encoding': 'gzip' });
    expect(compressed.headers).not.to.have.property('etag');
    expect(Number(compressed.headers['content-length'])).to.equal(compressed.bytes.length);
    const withoutTime = (text: string) => ({ ...JSON.parse(text), time: null });
    expect(withoutTime(gunzipSync(compressed.bytes).toString())).to.deep.equal(withoutTime(plain.text));
  });

  it('names the parameter that it refuses, and finds no company that does not exist', async () => {
    for (const [query, name] of [
      ['slots=none', /slots must be a whole number/],
      ['slots=0', /slots must be a whole number from 1 to 2000/],
      ['limit=1001', /limit must be a whole number from 1 to 1000/],
      ['state=lazy', /state takes open/],
      ['runtemplate_id=1,x', /runtemplate_id must be a positive whole number, not/],
      ['timezone=Mars', /timezone takes an IANA name/],
      ['to=2025-01-01', /from must be before to/],
      ['to=2029-01-01', /The range has \d+ days/],
      ['slot=3', /There is no query parameter slot here/],
    ] as const) {
      const { status, json } = await get(query);
      expect([status, name.test(JSON.stringify(json))], query).to.deep.equal([400, true]);
    }
    for (const query of ['company_id=999', 'app_id=999', 'after=999']) expect((await get(query)).status).to.equal(404);
  });
});
