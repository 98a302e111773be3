import type { CompanyRole } from '@horarium/core';
import { expect } from 'chai';
import { consoleRoutes } from '../../../plugins/console/server/routes.ts';
import { Page } from '../../support/http/page.ts';
import { PermissionWorld } from '../../support/worlds/permission-world.ts';

interface Explained {
  readonly kind: string;
  readonly id: number;
  readonly time: string;
}

describe('The explanations of several problems', () => {
  const world = new PermissionWorld({ sessions: true, extraRoutes: consoleRoutes });
  let page: Page;

  before(async () => {
    await world.start();
    page = await new Page(world.service).open();
  });
  after(() => world.stop());

  const path = (query: Readonly<Record<string, string>>) => `/console/why?${new URLSearchParams(query)}`;
  const named = (found: readonly Explained[]) => found.map(({ kind, id }) => `${kind} ${id}`);
  const both = () => {
    const { own, other } = world.companies;
    return { task_id: `${own.Task},${other.Task}`, runtemplate_id: `${own.RunTemplate},${other.RunTemplate}` };
  };
  const timeless = ({ time, ...explained }: Explained) => ({ ...explained, time: typeof time });

  it('are those that each record has by itself, in the order of the request', async () => {
    const { own, other } = world.companies;
    const { status, json } = await page.request(path(both()));
    expect(status).to.equal(200);
    const paths = [`task/${own.Task}`, `task/${other.Task}`].concat(
      [own, other].map(({ RunTemplate }) => `runtemplate/${RunTemplate}`),
    );
    const singly = [];
    for (const each of paths) singly.push((await page.request(`/${each}/why.json`)).json);
    expect(json.map(timeless)).to.deep.equal(singly.map(timeless));
    expect(json[0].since_success).to.include({ job_id: null, further: 0 });
  });

  for (const [role, sees] of [
    ['none', false],
    ['viewer', true],
    ['operator', true],
    ['manager', true],
    ['admin', true],
  ] as const satisfies readonly (readonly [CompanyRole | 'none', boolean])[])
    it(`are ${sees ? 'those of the company alone' : 'none'} for a member with the role ${role}`, async () => {
      const { own } = world.companies;
      const member = await world.person('none', role);
      const { status, json, text } = await member.request('GET', path(both()));
      expect(status).to.equal(200);
      expect(named(json)).to.deep.equal(sees ? [`Task ${own.Task}`, `RunTemplate ${own.RunTemplate}`] : []);
      expect(text).not.to.include('Zanzibar');
    });

  it('leave out what does not exist, as they leave out what the caller may not see', async () => {
    const member = await world.person('none', 'viewer');
    const ask = async (task_id: number) => {
      const { status, json } = await member.request('GET', path({ task_id: String(task_id) }));
      return [status, json];
    };
    expect(await ask(9_999_999)).to.deep.equal([200, []]);
    expect(await ask(world.companies.other.Task)).to.deep.equal([200, []]);
  });

  it('are none where none are asked for', async () => {
    expect((await page.request('/console/why')).json).to.deep.equal([]);
  });

  it('are twenty at most, of both kinds together', async () => {
    const { RunTemplate } = world.companies.own;
    const ids = (count: number) => Array.from({ length: count }, () => RunTemplate).join();
    expect((await page.request(path({ runtemplate_id: ids(20) }))).json).to.have.length(20);
    const refused = async (query: Readonly<Record<string, string>>) => {
      const { status, json } = await page.request(path(query));
      return [status, json.detail];
    };
    expect(await refused({ runtemplate_id: ids(21) })).to.deep.equal([400, 'runtemplate_id takes at most 20 values.']);
    expect(await refused({ runtemplate_id: ids(10), task_id: ids(11) })).to.deep.equal([
      400,
      'At most 20 records are explained at once.',
    ]);
    for (const wrong of ['', '0', '1,', 'x', '1.5', '-1', '1, 2'])
      expect((await refused({ task_id: wrong }))[0], wrong).to.equal(400);
  });

  it('are refused to who has not signed in', async () => {
    expect((await world.service.request(path(both()))).status).to.equal(401);
  });
});
