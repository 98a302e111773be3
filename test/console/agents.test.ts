import { Job } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { type SeenAgent, writePresence } from '#core/worker/lease/agent-presence';
import { ConsoleWorld, describeInBrowser, expectAccessible, viewports } from '../support/browser/console-world.ts';
import { addPastRuns } from '../support/browser/run-history.ts';

const hour = 3_600_000;

describeInBrowser('Agents in the console:', () => {
  let world: ConsoleWorld;
  let template: number;
  before(async () => {
    world = await ConsoleWorld.create();
    template = await world.service.addTemplate('Render', ['-c', 'exit 0'], { interval: 'none' });
  });
  after(() => world[Symbol.asyncDispose]());

  /** Writes that agents are alive, for that long. */
  async function see(...agents: readonly (Partial<SeenAgent> & { readonly agent: string; readonly alive?: number })[]) {
    const store = await world.service.openStore();
    await store.transaction(async (tables) => {
      const now = await tables.now();
      const usual = { pools: { gpu: null }, labels: {}, executors: ['native'], slots: 4, version: '0.1.0' };
      const seen = agents.map(({ alive = hour, ...each }) => ({ ...usual, ...each, alive_until: now + alive }));
      await writePresence(tables, seen);
    });
  }

  /** Adds a job that runs on an agent, or is due in a pool that no agent serves. */
  async function addJob(fields: object) {
    const store = await world.service.openStore();
    await store.transaction(async (tables) => {
      const now = await tables.now();
      const owner = { runtemplate_id: template, company_id: 1, app_id: 1, executor: 'agent' };
      const times = { scheduled_at: now, created_at: now, updated_at: now };
      await tables.of(Job).insert([newRow(Job, { ...owner, ...times, ...fields })]);
    });
  }

  it('The page of hosts tells nothing of agents where none has ever been', async () => {
    const page = await world.signedIn({ view: '/manage/service/workers' });
    await page.getByText('runs 0 of up to').waitFor();
    expect(await page.getByRole('heading', { name: 'Agents' }).count()).to.equal(0);
    await page.context().close();
  });

  it('The page of hosts has the agents that are alive, and the pools with due jobs that none of them runs', async () => {
    const labels = { arch: 'arm64', site: 'brno' };
    await see({ agent: 'gpu1', labels }, { agent: 'gpu2', slots: 0, version: null }, { agent: 'gone', alive: -1 });
    await addJob({ state: 'running', started_at: Date.now(), worker: 'agent:gpu1', placement: 'gpu native' });
    await addJob({ state: 'scheduled', queue_at: Date.now() - 1000, placement: 'big podman' });
    const page = await world.signedIn({ view: '/manage/service/workers' });
    await page.getByText('2 agents are alive.').waitFor();
    const rows = page.getByRole('list', { name: 'Agents', exact: true }).getByRole('listitem');
    const [first = '', second = '', ...others] = await rows.allInnerTexts();
    expect(others).to.deep.equal([]);
    expect(first).to.match(
      /^gpu1\s+gpu · arch=arm64 · site=brno\s+alive, seen .*, version 0\.1\.0\s+runs 1 of up to 4 jobs at once$/,
    );
    expect(second).to.match(/^gpu2\s+gpu\s+alive, seen [^,]*\s+takes no further jobs, runs 0$/);
    const pools = page.getByRole('list', { name: 'Pools with due jobs that no agent runs' });
    expect(await pools.innerText()).to.match(/^Pool big\s+1 job due\s+no agent of the pool big is alive: start one$/);
    await see({ agent: 'big1', pools: { big: [1] }, executors: ['podman'] });
    await page.getByText('3 agents are alive.').waitFor();
    await pools.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('Only admins see agents', async () => {
    await world.addUser('vera', 'viewer');
    const page = await world.signedIn({ login: 'vera', view: '/manage/service/workers' });
    await page.getByText('Only admins see the workers.').waitFor();
    expect(await page.getByText('gpu1').count()).to.equal(0);
    await page.context().close();
  });

  it('An attempt names the agent that ran it', async () => {
    const start = Math.floor(Date.now() / hour - 3) * hour;
    const [task] = await addPastRuns(world.service, template, [
      { start, state: 'failed', reason: 'exit code 3 on agent gpu1', attempts: [['failed', 'exit code 3']] },
    ]);
    const store = await world.service.openStore();
    await store.transaction((tables) =>
      tables.of(Job).updateWhere([['task_id', '=', task as number]], { worker: 'agent:gpu1' }),
    );
    const page = await world.signedIn({ view: `/runs/${task}` });
    await page.getByText(/ – .* on agent gpu1$/).waitFor();
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`is accessible, and in Czech (${viewport.width} px)`, async () => {
      await addJob({ state: 'scheduled', queue_at: Date.now() - 1000, placement: 'other native' });
      const page = await world.signedIn({ viewport, view: '/manage/service/workers' });
      await page.getByText('Pool other', { exact: true }).waitFor();
      const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      await expectAccessible(page);
      expect(await overflow()).to.be.at.most(0);
      await page.evaluate("localStorage.setItem('horarium.language', 'cs')");
      await page.reload();
      await page.getByText('Živí agenti: 3.').waitFor();
      await page.getByText('Skupina other').waitFor();
      await page.getByText('další úlohy nepřijímá, běží 0').waitFor();
      await expectAccessible(page);
      expect(await overflow()).to.be.at.most(0);
      await page.context().close();
    });
});
