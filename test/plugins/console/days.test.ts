import { Task, type TaskState, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { consoleRoutes } from '../../../plugins/console/server/routes.ts';
import { Page } from '../../support/http/page.ts';
import { PermissionWorld } from '../../support/worlds/permission-world.ts';

interface Days {
  readonly runtemplate_id: number;
  readonly timezone: string;
  readonly until: string;
  readonly counts: Readonly<Partial<Record<TaskState, readonly number[]>>>;
}

/** Half an hour after midnight in Kiritimati, where it is 2 November, and in Honolulu, where it is 1 November. */
const now = Date.UTC(2030, 10, 1, 10, 30);

describe('The last days of templates', () => {
  const world = new PermissionWorld({ sessions: true, extraRoutes: consoleRoutes });
  let page: Page;

  before(async () => {
    await world.start();
    const { clock } = world.service.core;
    clock.stop();
    clock.advance(now - clock.now());
    page = await new Page(world.service).open();
  });
  after(() => world.stop());

  /** Adds a template with Tasks whose windows began at those times. @returns its id. */
  async function template(timezone: string, starts: readonly string[], state: TaskState = 'fulfilled') {
    const { Company: company_id } = world.companies.own;
    const fields = { name: world.name(), app_id: world.shared.App, company_id, interval: 'none', timezone };
    const { id } = await world.make('/runtemplate/', fields);
    const { store } = world.service.core;
    await store.transaction(trustedActor('test'), async (tables) => {
      const rows = starts.map((start) => {
        const at = Date.parse(start);
        return newRow(Task, {
          runtemplate_id: id,
          company_id,
          window_start: at,
          window_end: at + 1,
          deadline: at,
          state,
        });
      });
      await tables.of(Task).insert(rows);
    });
    return id as number;
  }
  const days = async (ids: readonly number[], count = 91): Promise<Days[]> => {
    const { status, json, text } = await page.request(`/console/days?runtemplate_id=${ids.join()}&days=${count}`);
    expect(status, text).to.equal(200);
    return json;
  };
  /** The dates of the days on which something is counted, with how much. */
  const dated = ({ until, counts }: Days) => {
    const all = (counts.fulfilled ?? []).map((count, index, { length }) => {
      const date = new Date(Date.parse(until) - (length - 1 - index) * 86_400_000);
      return [date.toISOString().slice(0, 10), count] as const;
    });
    return Object.fromEntries(all.filter(([, count]) => count > 0));
  };

  it('end today in the zone of each template, and are those on which its windows begin there', async () => {
    const ahead = await template('Pacific/Kiritimati', ['2030-11-01T09:59:59Z', '2030-11-01T10:00:00Z']);
    const behind = await template('Pacific/Honolulu', [
      '2030-10-31T10:00:00Z',
      '2030-11-01T09:59:59Z',
      '2030-11-01T10:00:00Z',
    ]);
    const found = await days([ahead, behind]);
    expect(found.map(({ until }) => until)).to.deep.equal(['2030-11-02', '2030-11-01']);
    expect(found.map(dated)).to.deep.equal([
      { '2030-11-01': 1, '2030-11-02': 1 },
      { '2030-10-31': 2, '2030-11-01': 1 },
    ]);
  });

  it('are as long as the clock makes them: one of 25 hours, and one of 23', async () => {
    const back = await template('Europe/Prague', [
      '2030-10-26T21:59:59Z',
      '2030-10-26T22:00:00Z',
      '2030-10-27T22:59:59Z',
      '2030-10-27T23:00:00Z',
    ]);
    const forward = await template('Australia/Sydney', [
      '2030-10-05T13:59:59Z',
      '2030-10-05T14:00:00Z',
      '2030-10-06T12:59:59Z',
      '2030-10-06T13:00:00Z',
    ]);
    expect((await days([back, forward])).map(dated)).to.deep.equal([
      { '2030-10-26': 1, '2030-10-27': 2, '2030-10-28': 1 },
      { '2030-10-05': 1, '2030-10-06': 2, '2030-10-07': 1 },
    ]);
  });

  it('begin as many days before today as are asked for, and states without Tasks are missing', async () => {
    const id = await template(
      'UTC',
      ['2030-10-29T23:59:59Z', '2030-10-30T00:00:00Z', '2030-11-01T00:00:00Z'],
      'failed',
    );
    const [first] = await days([id], 3);
    expect(first).to.deep.equal({
      runtemplate_id: id,
      timezone: 'UTC',
      until: '2030-11-01',
      counts: { failed: [1, 0, 1] },
    });
    expect((await days([id], 1))[0]?.counts).to.deep.equal({ failed: [1] });
    expect((await days([id]))[0]?.counts.failed).to.have.length(91);
  });

  it('are those of templates alone that the caller may see', async () => {
    const { own, other } = world.companies;
    const path = `/console/days?runtemplate_id=${own.RunTemplate},${other.RunTemplate},9999999`;
    const ids = (found: readonly Days[]) => found.map(({ runtemplate_id }) => runtemplate_id);
    for (const role of ['none', 'viewer', 'admin'] as const) {
      const { json } = await (await world.person('none', role)).request('GET', path);
      expect(ids(json), role).to.deep.equal(role === 'none' ? [] : [own.RunTemplate]);
    }
    expect(ids((await page.request(path)).json)).to.deep.equal([own.RunTemplate, other.RunTemplate]);
    expect((await world.service.request(path)).status).to.equal(401);
  });

  for (const [query, detail] of [
    ['', 'runtemplate_id must be a positive whole number, not "".'],
    ['runtemplate_id=x', 'runtemplate_id must be a positive whole number, not "x".'],
    [`runtemplate_id=${'1,'.repeat(50)}1`, 'runtemplate_id takes at most 50 values.'],
    ['runtemplate_id=1&days=0', 'days must be a whole number from 1 to 91.'],
    ['runtemplate_id=1&days=92', 'days must be a whole number from 1 to 91.'],
    ['runtemplate_id=1&days=many', 'days must be a whole number from 1 to 91.'],
  ] as const)
    it(`refuses ${query.slice(0, 30) || 'a request without ids'}`, async () => {
      const { status, json } = await page.request(`/console/days?${query}`);
      expect([status, json.detail]).to.deep.equal([400, detail]);
    });
});
