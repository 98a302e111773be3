import { Artifact, Task, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { storeArtifacts } from '#core/job/artifact';
import { newRow } from '#core/store/table';
import { checkedFetch } from '../../../support/http/checked-fetch.ts';
import { HttpService } from '../../../support/http/http-service.ts';

describe('The HTTP API', () => {
  let service: HttpService;
  const post = (path: string, body: unknown, headers = {}) =>
    service.requestAsAdmin(path, { method: 'POST', body, headers });
  const create = async (path: string, body: unknown) => (await post(path, body)).json;

  let template: { id: number; company_id: number };

  before(async () => {
    service = await new HttpService().start();
    const app = await create('/app/', { name: 'App', executable: 'true' });
    const company = await create('/company/', { code: 'ledger', name: 'L' });
    const fields = { name: 'T', app_id: app.id, company_id: company.id, interval: 'daily', timezone: 'UTC' };
    template = await create('/runtemplate/', { ...fields, deadline: '08:00', delay: 60 });
  });

  after(() => service.stop());

  describe('An artifact', () => {
    it('is sent unchanged, as an attachment that browsers do not render', async () => {
      const { json: job } = await post('/job/', { runtemplate_id: template.id, scheduled_at: '2099-01-01T00:00:00Z' });
      const content = new Uint8Array([0, 255, 10, 60, 98, 62]);
      const file = { filename: 'out/a "b"\r\n€.html', contentType: 'text/html', sha256: 'abc', content };
      const id = await service.core.store.transaction(trustedActor('test'), async (tables) => {
        await storeArtifacts(tables, job, [file, { ...file, contentType: 'x\r\ny' }]);
        return (await tables.of(Artifact).find())[0]?.id as number;
      });
      const response = await checkedFetch(`${service.url}/api/v1/artifact/${id}`, {
        headers: { authorization: service.admin },
      });
      expect(response.status).to.equal(200);
      expect(new Uint8Array(await response.arrayBuffer())).to.deep.equal(content);
      expect(Object.fromEntries(response.headers)).to.include({
        'content-type': 'text/html',
        'x-content-type-options': 'nosniff',
        'content-disposition': `attachment; filename="a \\"b\\"???.html"; filename*=UTF-8''a%20%22b%22%0D%0A%E2%82%AC.html`,
        etag: '"abc"',
      });
      expect(response.headers.get('content-security-policy')).to.match(/sandbox/);
      expect((await service.requestAsAdmin(`/artifact/${id + 1}`)).headers['content-type']).to.equal(
        'application/octet-stream',
      );
      expect(
        (await service.requestAsAdmin(`/artifact/${id}`, { headers: { 'if-none-match': '"abc"' } })).status,
      ).to.equal(304);
      expect((await service.requestAsAdmin('/artifact/999999')).status).to.equal(404);
      expect((await service.requestAsAdmin('/artifact/x')).status).to.equal(400);
    });
  });

  describe('The preview of a template', () => {
    it('lists the next windows', async () => {
      const path = `/runtemplate/${template.id}/preview.json`;
      const { json } = await service.requestAsAdmin(`${path}?from=2026-03-01&to=2026-03-03T00:00:00Z`);
      expect(json.map((window: { window_start: string }) => window.window_start)).to.deep.equal([
        '2026-03-01T00:00:00.000Z',
        '2026-03-02T00:00:00.000Z',
        '2026-03-03T00:00:00.000Z',
      ]);
      expect(json[0]).to.deep.equal({
        window_start: '2026-03-01T00:00:00.000Z',
        window_end: '2026-03-02T00:00:00.000Z',
        due_at: '2026-03-01T00:01:00.000Z',
        deadline: '2026-03-01T08:00:00.000Z',
        note: null,
      });
      expect((await service.requestAsAdmin(`${path}?limit=3`)).json).to.have.length(3);
      expect((await service.requestAsAdmin(path)).json).to.have.length(100);
      for (const query of [
        'limit=0',
        'limit=1001',
        'from=soon',
        'colour=red',
        'clock_changes=maybe',
        'clock_changes=true&limit=3',
      ])
        expect((await service.requestAsAdmin(`${path}?${query}`)).status, query).to.equal(400);
      expect((await service.requestAsAdmin('/runtemplate/999999/preview.json')).status).to.equal(404);
    });

    it('lists the windows that a calendar leaves out, and those at the clock changes of the year', async () => {
      const { json: calendar } = await service.requestAsAdmin('/calendar/', {
        method: 'POST',
        body: { name: 'Weekends', weekdays: ['sunday'] },
      });
      const change = (body: object) =>
        service.requestAsAdmin(`/runtemplate/${template.id}.json`, { method: 'POST', body });
      await change({ calendar_id: calendar.id, timezone: 'Europe/Prague' });
      const path = `/runtemplate/${template.id}/preview.json`;
      const { json } = await service.requestAsAdmin(`${path}?from=2026-03-28T23:00:00Z&limit=1`);
      expect(json).to.deep.equal([
        {
          window_start: '2026-03-28T23:00:00.000Z',
          window_end: '2026-03-29T22:00:00.000Z',
          due_at: null,
          deadline: null,
          note: 'no Task: day off (Sunday); the clock goes forward by 1 h at 2026-03-29 02:00',
        },
      ]);
      const changes = await service.requestAsAdmin(`${path}?from=2026-03-01&clock_changes=true`);
      expect(changes.json.map((window: { window_start: string }) => window.window_start)).to.deep.equal([
        '2026-03-28T23:00:00.000Z',
        '2026-03-29T22:00:00.000Z',
        '2026-03-30T22:00:00.000Z',
        '2026-10-24T22:00:00.000Z',
        '2026-10-25T23:00:00.000Z',
        '2026-10-26T23:00:00.000Z',
      ]);
      await change({ calendar_id: null, timezone: 'UTC' });
    });

    it('lists no windows after the last time that RFC 3339 can represent', async () => {
      const last = await service.requestAsAdmin(`/runtemplate/${template.id}/preview.json?from=9999-12-30`);
      expect(last.json.map((window: { window_end: string }) => window.window_end)).to.deep.equal([
        '9999-12-31T00:00:00.000Z',
      ]);
      const { app_id, company_id } = (await service.requestAsAdmin(`/runtemplate/${template.id}.json`)).json;
      const body = { name: 'Late', app_id, company_id, interval: 'daily', starts_at: '9999-12-31T23:30:00Z' };
      const { status, json } = await service.requestAsAdmin('/runtemplate/', { method: 'POST', body });
      expect([status, json.next_scheduled_at]).to.deep.equal([201, null]);
    });
  });

  describe('The summary of Tasks', () => {
    const day = (n: number) => Date.UTC(2026, 0, n);

    it('counts Tasks by template and local day, with an on-time rate that leaves out cancelled ones', async () => {
      const { id: runtemplate_id, company_id } = template;
      const states = ['fulfilled', 'fulfilled', 'fulfilled_late', 'missed', 'cancelled', 'running'] as const;
      await service.core.store.transaction(trustedActor('test'), (tables) =>
        tables.of(Task).insert([
          ...states.map((state, n) => {
            const start = day(1) + n * 3_600_000;
            const window = { window_start: start, window_end: start + 1, deadline: start + 1 };
            return newRow(Task, { runtemplate_id, company_id, ...window, state });
          }),
          // 23:30 UTC is the next day in Prague.
          newRow(Task, {
            runtemplate_id,
            company_id,
            window_start: day(2) - 1_800_000,
            window_end: day(2),
            deadline: day(2),
            state: 'cancelled',
          }),
        ]),
      );
      const { json } = await service.requestAsAdmin('/tasks/summary.json?from=2026-01-01&to=2026-01-02');
      expect(json).to.deep.equal([
        {
          day: '2026-01-02',
          runtemplate_id,
          company_id,
          open: 0,
          running: 0,
          fulfilled: 0,
          fulfilled_late: 0,
          failed: 0,
          missed: 0,
          cancelled: 1,
          owed: 0,
          on_time_rate: null,
        },
        {
          day: '2026-01-01',
          runtemplate_id,
          company_id,
          open: 0,
          running: 1,
          fulfilled: 2,
          fulfilled_late: 1,
          failed: 0,
          missed: 1,
          cancelled: 1,
          owed: 5,
          on_time_rate: 0.5,
        },
      ]);
      const length = async (query: string) =>
        (await service.requestAsAdmin(`/tasks/summary.json?${query}`)).json.length;
      expect(await length('')).to.equal(0);
      expect(await length(`from=2026-01-01&to=2026-01-02&runtemplate_id=${runtemplate_id}`)).to.equal(2);
      expect(await length('from=2026-01-01&to=2026-01-02&company_id=999')).to.equal(0);
      expect(await length('from=2026-01-02&to=2026-01-01')).to.equal(0);
      expect((await service.requestAsAdmin('/tasks/summary?from=2020-01-01')).status).to.equal(400);
      expect((await service.requestAsAdmin('/tasks/summary.json?runtemplate_id=x')).status).to.equal(400);
    });

    it('lists no days before the first that RFC 3339 can represent', async () => {
      for (const to of ['0001-01-01', '0001-01-01T00:00:00Z'])
        expect((await service.requestAsAdmin(`/tasks/summary.json?to=${to}`)).json, to).to.deep.equal([]);
    });
  });
});
