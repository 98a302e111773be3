import { randomUUID } from 'node:crypto';
import { type ExplainedKind, Job, Pause, RunTemplate } from '@horarium/core';
import { expect } from 'chai';
import { AgentPresence, readAgentHealth } from '#core/worker/lease/agent-presence';
import { type AgentFixture, AgentWorld, ended } from '../support/worlds/agent-world.ts';

/** What the service tells of agents, on every store. */
export function seenAgentsContract(name: string, open: () => Promise<AgentFixture>): void {
  describe(`What is told of agents ${name}`, () => {
    let world: AgentWorld;

    before(async () => {
      world = await new AgentWorld(await open()).seed();
    });
    after(() => world.close());
    beforeEach(() => world.within((tables) => tables.of(AgentPresence).delete([])));

    interface Seen {
      readonly pool: string;
      readonly agent?: string;
      readonly slots?: number;
      readonly alive?: number;
      readonly stopped?: boolean;
      readonly labels?: Readonly<Record<string, string>>;
    }

    const see = ({ pool, agent = 'gpu1', slots = 4, alive = 60_000, labels = { arch: 'arm64' }, ...state }: Seen) =>
      world.within(async (tables, { agents }) => {
        const alive_until = (await tables.now()) + alive;
        const pools = { [pool]: null };
        await agents.seenIn(tables, [
          { agent, pools, labels, executors: ['native'], slots, version: '0.1.0', alive_until, ...state },
        ]);
      });
    const status = () => world.host.status(world.actor) as Promise<Record<string, Record<string, unknown>[]>>;
    const why = async (kind: ExplainedKind, id: number) => (await world.host.why(world.actor, { kind, id })).sentence;

    it('lists those that are alive in the status, with their slots and the jobs that they run', async () => {
      const { pool } = await world.claimedJob();
      await see({ pool });
      await see({ pool, agent: 'gpu0', slots: 0, labels: {} });
      await see({ pool, agent: 'gone', alive: -1 });
      const { agents } = await status();
      expect(agents?.map(({ name, slots, used_slots }) => [name, slots, used_slots])).to.deep.equal([
        ['gpu0', 0, 0],
        ['gpu1', 4, await world.host.store.read((tables) => tables.of(Job).count([['worker', '=', 'agent:gpu1']]))],
      ]);
      const shown = { name: 'gpu1', pools: [pool], labels: { arch: 'arm64' }, executors: ['native'], version: '0.1.0' };
      expect(agents?.[1]).to.deep.include(shown);
      expect(agents?.[1]).to.have.all.keys([...Object.keys(shown), 'slots', 'used_slots', 'seen_at', 'alive_until']);
    });

    it('names each pool with due jobs that none of them runs, with the reason', async () => {
      const { pool } = await world.scheduleJob();
      const { pool: other } = await world.scheduleJob({}, { labels: { arch: 'arm64' } });
      await see({ pool: other, labels: {} });
      const ofPools = async () => {
        const { unserved_pools = [] } = await status();
        return unserved_pools.filter((each) => each['pool'] === pool || each['pool'] === other);
      };
      expect(await ofPools()).to.have.deep.members([
        { pool, due: 1, reason: `no agent of the pool ${pool} is alive: start one` },
        { pool: other, due: 1, reason: `no agent of the pool ${other} that is alive has the label arch=arm64` },
      ]);
      await see({ pool });
      await see({ pool: other, agent: 'gpu2' });
      expect(await ofPools()).to.deep.equal([]);
    });

    it('names no pool whose due jobs wait for the end of a pause', async () => {
      const { pool, runtemplate_id } = await world.scheduleJob();
      const ofPool = async () => ((await status())['unserved_pools'] ?? []).filter((each) => each['pool'] === pool);
      expect(await ofPool()).to.have.length(1);
      await world.host.records(Pause).save(world.actor, { runtemplate_id, reason: 'lunch' });
      expect(await ofPool()).to.deep.equal([]);
    });

    it('tells when each was seen last, and whether it is alive, has stopped or is silent', async () => {
      const created_at = await world.host.store.read((tables) => tables.now());
      const health = (name: string, since = created_at) =>
        world.host.store.read(async (tables) => (await readAgentHealth(tables, [{ name, created_at: since }]))[0]);
      expect(await health('gpu1')).to.deep.equal({ presence: 'never seen', seen_at: null, second_process_at: null });
      await see({ pool: 'p' });
      expect(await health('gpu1')).to.include({ presence: 'alive' });
      await see({ pool: 'p', alive: -1 });
      const { seen_at, presence } = (await health('gpu1')) ?? {};
      expect(presence).to.equal('silent');
      expect(seen_at).to.be.at.least(created_at);
      expect(await health('gpu1', (seen_at ?? 0) + 1)).to.include({ presence: 'never seen' });
      await see({ pool: 'p', alive: -1, stopped: true });
      expect(await health('gpu1')).to.include({ presence: 'stopped' });
      await see({ pool: 'p' });
      expect(await health('gpu1')).to.include({ presence: 'alive' });
    });

    it('counts their slots and the jobs that they run for monitoring', async () => {
      const agent = `a-${randomUUID()}`;
      const { pool } = await world.claimedJob({}, { agent });
      await see({ pool, agent, slots: 3 });
      const { agents } = await world.host.figures();
      expect(agents).to.deep.equal([{ agent, slots: 3, running: 1 }]);
      await see({ pool, agent, alive: -1 });
      expect((await world.host.figures()).agents).to.deep.equal([]);
    });

    it('names the templates whose jobs none of them can run in the summary, with the reason', async () => {
      const { id, pool } = await world.addTemplate();
      const problem = async () =>
        (await world.host.summary(world.actor)).problems.find(({ runtemplate_id }) => runtemplate_id === id);
      expect(await problem()).to.include({
        kind: 'will_not_run',
        reason: `no agent of the pool ${pool} is alive: start one`,
      });
      await see({ pool });
      expect(await problem()).to.equal(undefined);
      await world.host.records(RunTemplate).save(world.actor, { id, active: false });
    });

    it('names in the explanation of a template those that can run its jobs, or says why none can', async () => {
      const { id, pool } = await world.addTemplate();
      const condition = async () => {
        const { conditions } = await world.host.why(world.actor, { kind: 'RunTemplate', id });
        return conditions.find(({ name }) => name === 'worker');
      };
      expect(await condition()).to.include({ met: false, text: `no agent of the pool ${pool} is alive: start one` });
      await see({ pool });
      expect(await condition()).to.include({ met: true, text: `the agent gpu1 of the pool ${pool} can run its jobs` });
      await see({ pool, agent: 'gpu2' });
      expect((await condition())?.text).to.equal(`the agent gpu1 and 1 more of the pool ${pool} can run its jobs`);
    });

    it('names the agent of a job that runs, of a Task that was fulfilled, and of one that failed', async () => {
      const { id: runtemplate_id, pool } = await world.addTemplate();
      const { job, task } = await world.addTask(runtemplate_id);
      const claim = randomUUID();
      await world.claim({ pool, claim });
      expect(await why('Job', job)).to.match(/ runs since .* on agent gpu1$/);
      await world.report({ id: job, claim }, [ended()]);
      expect(await why('Job', job)).to.match(/ succeeded at .* on agent gpu1$/);
      expect(await why('Task', task)).to.match(/ was fulfilled in time at .* on agent gpu1: succeeded in time$/);
      const failing = await world.addTask(runtemplate_id, { window_start: 1000 });
      const again = randomUUID();
      await world.claim({ pool, claim: again, agent: 'gpu2' });
      await world.report({ id: failing.job, claim: again }, [ended({ exitCode: 3 })], { agent: 'gpu2' });
      expect(await why('Job', failing.job)).to.match(/ failed at .* on agent gpu2: exit code 3$/);
      expect(await world.readTask(failing.task)).to.include({
        state: 'failed',
        reason: 'exit code 3 on agent gpu2, which is not retried',
      });
      expect(await why('Task', failing.task)).to.match(/: exit code 3 on agent gpu2, which is not retried$/);
    });
  });
}
