import { randomUUID } from 'node:crypto';
import { App, Job, RunTemplate } from '@horarium/core';
import { expect } from 'chai';
import { AgentLeaseReaper } from '#core/agent/agent-lease-reaper';
import { isAgentInUse } from '#core/agent/agent-use';
import { readById, required } from '#core/store/rows';
import { rejectionOf } from '../support/mocha/rejection-of.ts';
import { type AgentFixture, AgentWorld } from '../support/worlds/agent-world.ts';

/** Attempts on agents on every store, also when several hosts act concurrently. */
export function agentAttemptsContract(name: string, open: () => Promise<AgentFixture>): void {
  describe(`Attempts on agents ${name}`, () => {
    let world: AgentWorld;

    before(async () => {
      world = await new AgentWorld(await open()).seed();
    });
    after(() => world.close());

    describe('are claimed', () => {
      it('with their secrets, the options of the executor there, and the name of the agent in the record', async () => {
        const { attempt, id } = await world.claimedJob({});
        expect(attempt).to.include({ jobId: id, executor: 'native' });
        expect(attempt.attempt.environment).to.include({ PASSWORD: world.secret, REGION: 'eu' });
        expect(attempt.attempt.options).to.deep.equal({});
        const job = await world.readJob(id);
        expect(job).to.include({ state: 'running', worker: 'agent:gpu1', attempt: 1 });
        const isInUse = (agent: string) => world.within((tables) => isAgentInUse(tables, agent));
        expect([await isInUse('gpu1'), await isInUse('gpu-idle')]).to.deep.equal([true, false]);
        expect(job.environment).to.include({ PASSWORD: '••••••••' });
      });

      it('once, however many claims are concurrent', async () => {
        const { id: runtemplate_id, pool } = await world.addTemplate();
        for (let n = 0; n < 5; n++) await world.host.jobs.schedule(world.actor, { runtemplate_id });
        const claims = world.hosts.flatMap((host) => [0, 1, 2].map(() => world.claim({ pool, max: 3 }, host)));
        const claimed = (await Promise.all(claims)).flat().map(({ jobId }) => jobId);
        const rest = (await world.claim({ pool })).map(({ jobId }) => jobId);
        expect(new Set([...claimed, ...rest]).size).to.equal(5);
        expect([...claimed, ...rest]).to.have.length(5);
      });

      it('one after the other where their preparation may have ended other hosts, and not once three have died', async () => {
        const [deadly, other] = [await world.scheduleJob(), await world.scheduleJob()];
        const claims = { agent: 'gpu1', labels: {}, executors: new Set(['native']), slots: 9, max: 9, lease: 10_000 };
        const pools = new Map([deadly, other].map(({ pool }) => [pool, null]));
        const seen = async (died: number) => {
          await world.within((tables) => tables.of(Job).updateWhere([['id', '=', deadly.id]], { claims: died }));
          const request = { ...claims, claim: randomUUID(), pools };
          return { request, ...(await world.within((tables, { agents }) => agents.claimIn(tables, request))) };
        };
        const { attempts, reserved } = await seen(1);
        expect(attempts.map(({ jobId }) => jobId)).not.to.include(deadly.id);
        expect(reserved).to.include({ id: deadly.id, claims: 2 });
        expect(await world.readJob(deadly.id)).to.include({ state: 'scheduled', claims: 2 });
        // Its host has died: it is due again once the reservation is over.
        await world.within(async (tables) => {
          const queue_at = await tables.now();
          await tables.of(Job).updateWhere([['id', '=', deadly.id]], { queue_at });
        });
        const last = await seen(3);
        const reservation = required(last.reserved, 'reservation');
        const started = await world.within((tables, { agents }) => agents.claimIn(tables, last.request, reservation));
        expect(started.attempts.map(({ jobId }) => jobId)).not.to.include(deadly.id);
        expect(started.reserved).to.equal(null);
        expect(await world.readJob(other.id)).to.include({ state: 'running' });
        expect(await world.readJob(deadly.id)).to.include({
          state: 'failed',
          command: null,
          reason: '3 workers died while they prepared it alone',
        });
      });

      it('alone once it is reserved, and counted no more if they are taken back', async () => {
        const { id, pool } = await world.scheduleJob();
        await world.within((tables) => tables.of(Job).updateWhere([['id', '=', id]], { claims: 1 }));
        const claim = randomUUID();
        expect((await world.claim({ pool, claim })).map(({ jobId }) => jobId)).to.deep.equal([id]);
        expect(await world.readJob(id)).to.include({ state: 'running', claims: 2 });
        await world.within((tables, { agents }) => agents.releaseIn(tables, 'gpu1', [claim]));
        expect(await world.readJob(id)).to.include({ state: 'scheduled', claims: 0 });
      });

      it('not a second time by the claim that was answered', async () => {
        const { pool, claim } = await world.claimedJob();
        const again = await rejectionOf(world.claim({ pool, claim }));
        expect(again).to.include({ code: 'conflict' });
      });

      it('by agents of the pool that have all labels, and by no others', async () => {
        const { pool, id } = await world.scheduleJob({}, { labels: { arch: 'arm64', site: 'brno' } });
        expect(await world.claim({ pool: 'other', labels: { arch: 'arm64', site: 'brno' } })).to.deep.equal([]);
        expect(await world.claim({ pool, labels: { arch: 'arm64' } })).to.deep.equal([]);
        expect(await world.claim({ pool, labels: { arch: 'amd64', site: 'brno' } })).to.deep.equal([]);
        const [claimed] = await world.claim({ pool, labels: { arch: 'arm64', site: 'brno', disk: 'ssd' } });
        expect(claimed?.jobId).to.equal(id);
      });

      it('by agents that have their executor alone', async () => {
        const { pool, id } = await world.scheduleJob();
        expect(await world.claim({ pool, executors: new Set(['podman']) })).to.deep.equal([]);
        const [claimed] = await world.claim({ pool, executors: new Set(['podman', 'native']) });
        expect(claimed?.jobId).to.equal(id);
      });

      it('of the companies that the pool is for alone', async () => {
        const { pool, id } = await world.scheduleJob();
        expect(await world.claim({ pools: { [pool]: [world.owner.company_id + 1000] } })).to.deep.equal([]);
        const [claimed] = await world.claim({ pools: { [pool]: [world.owner.company_id] } });
        expect(claimed?.jobId).to.equal(id);
      });

      it('by the priority of their templates, and never more than wanted', async () => {
        const { id: low, pool } = await world.addTemplate();
        const { id: high } = await world.addTemplate({ priority: 5, executor_options: { pool } });
        const schedule = (runtemplate_id: number) => world.host.jobs.schedule(world.actor, { runtemplate_id });
        const [first, second] = [await schedule(low), await schedule(high)];
        expect((await world.claim({ pool, max: 1 })).map(({ jobId }) => jobId)).to.deep.equal([second.id]);
        expect((await world.claim({ pool, max: 1 })).map(({ jobId }) => jobId)).to.deep.equal([first.id]);
      });

      it('in turns of their companies, so that one with many jobs leaves slots to the others', async () => {
        const { id: many, pool } = await world.addTemplate();
        const company_id = await world.addCompany(`c-${randomUUID()}`);
        const { id: few } = await world.addTemplate({ company_id, executor_options: { pool } });
        for (let n = 0; n < 9; n++) await world.host.jobs.schedule(world.actor, { runtemplate_id: many });
        const { id } = await world.host.jobs.schedule(world.actor, { runtemplate_id: few });
        const claimed = (await world.claim({ pool, agent: randomUUID(), slots: 8 })).map(({ jobId }) => jobId);
        expect(claimed).to.include(id);
        expect(claimed).to.have.length(7);
      });

      it('for all slots of an agent that runs jobs of one company alone', async () => {
        const { id: runtemplate_id, pool } = await world.addTemplate();
        for (let n = 0; n < 9; n++) await world.host.jobs.schedule(world.actor, { runtemplate_id });
        const pools = { [pool]: [world.owner.company_id] };
        expect(await world.claim({ pools, agent: randomUUID(), slots: 8 })).to.have.length(8);
      });

      it('never more at once than the max_running of their company and their templates allow, on all hosts', async () => {
        const company_id = await world.addCompany(`c-${randomUUID()}`, { max_running: 3 });
        const { id: one, pool } = await world.addTemplate({ company_id, overlap: 'allow', max_running: 2 });
        const { id: other } = await world.addTemplate({ company_id, executor_options: { pool } });
        for (const runtemplate_id of [one, one, one, other, other, other])
          await world.host.jobs.schedule(world.actor, { runtemplate_id });
        const claims = world.hosts.flatMap((host) => [0, 1].map(() => world.claim({ pool }, host)));
        const claimed = [...(await Promise.all(claims)).flat(), ...(await world.claim({ pool }))];
        expect(claimed).to.have.length(3);
      });

      it('at their new place once their template has moved', async () => {
        const { id, pool, runtemplate_id } = await world.scheduleJob();
        const elsewhere = `p-${randomUUID()}`;
        await world.host
          .records(RunTemplate)
          .save(world.actor, { id: runtemplate_id, executor_options: { pool: elsewhere } });
        expect(await world.claim({ pool })).to.deep.equal([]);
        expect((await world.claim({ pool: elsewhere })).map(({ jobId }) => jobId)).to.deep.equal([id]);
      });

      it('and fail at once where they cannot start, with the reason', async () => {
        const { id: app_id } = await world.host.records(App).save(world.actor, {
          name: `needs-${randomUUID()}`,
          executable: 'needs',
          environment: { TOKEN: { required: true } },
        });
        const { id: runtemplate_id, pool } = await world.addTemplate({ app_id, environment: {} });
        const { job, task } = await world.addTask(runtemplate_id);
        expect(await world.claim({ pool })).to.deep.equal([]);
        expect(await world.readJob(job)).to.include({ state: 'failed', worker: 'agent:gpu1' });
        expect((await world.readJob(job)).reason).to.include('TOKEN');
        expect(await world.readTask(task)).to.include({ state: 'failed' });
      });
    });

    describe('are taken back', () => {
      it('where the answer to their claim did not arrive, without counting', async () => {
        const { id: runtemplate_id, pool } = await world.addTemplate();
        const { job, task } = await world.addTask(runtemplate_id);
        const before = { job: await world.readJob(job), task: await world.readTask(task) };
        const claim = randomUUID();
        await world.claim({ pool, claim });
        expect(await world.readTask(task)).to.include({ state: 'running', attempts: 1 });
        const released = await world.within((tables, { agents }) => agents.releaseIn(tables, 'gpu1', [claim]));
        expect(released).to.equal(1);
        const { revision: _a, updated_at: _b, ...jobAfter } = await world.readJob(job);
        const { revision: _c, updated_at: _d, ...jobBefore } = before.job;
        expect(jobAfter).to.deep.equal(jobBefore);
        const { revision: _e, updated_at: _f, ...taskAfter } = await world.readTask(task);
        const { revision: _g, updated_at: _h, ...taskBefore } = before.task;
        expect(taskAfter).to.deep.equal(taskBefore);
        expect((await world.claim({ pool })).map(({ jobId }) => jobId)).to.deep.equal([job]);
      });

      it('not by another agent, nor once anything of them was reported', async () => {
        const job = await world.claimedJob();
        const release = (agent: string) =>
          world.within((tables, { agents }) => agents.releaseIn(tables, agent, [job.claim]));
        expect(await release('gpu2')).to.equal(0);
        await world.report(job, [{ kind: 'started', pid: 7 }]);
        expect(await release('gpu1')).to.equal(0);
        expect(await world.readJob(job.id)).to.include({ state: 'running', pid: 7 });
      });

      it('as lost where they are to be stopped, because they are not wanted any more', async () => {
        const job = await world.claimedJob();
        await world.host.jobs.cancel(world.actor, job.id, 'not today');
        await world.within((tables, { agents }) => agents.releaseIn(tables, 'gpu1', [job.claim]));
        expect(await world.readJob(job.id)).to.include({ state: 'cancelled', reason: 'not today' });
      });

      it('at the end of their lease where nothing of them was reported, and else are lost', async () => {
        const { id: runtemplate_id, pool } = await world.addTemplate();
        const [unstarted, started] = [await world.addTask(runtemplate_id), await world.addTask(runtemplate_id)];
        const claim = randomUUID();
        // Those of other cases end later.
        const lease = -3_600_000;
        await world.claim({ pool, claim, lease });
        const announce = ({ job: id }: { job: number }) =>
          world.report({ id, claim }, [{ kind: 'started', pid: null }]);
        await announce(started);
        const ends_at = (await world.leaseOf(started.job))?.ends_at ?? 0;
        const end = (before: number, areReportsTaken = true) =>
          world.within((tables, { agents }) => agents.endLeasesIn(tables, { before, areReportsTaken }));
        expect(await end(ends_at)).to.equal(0);
        await end(ends_at + 1);
        expect(await world.readJob(unstarted.job)).to.include({ state: 'scheduled', started_at: null });
        expect(await world.readTask(unstarted.task)).to.include({ state: 'open', attempts: 0 });
        expect(await announce(unstarted)).to.deep.equal(['refused']);
        const lost = {
          state: 'lost',
          reason: 'no heartbeat of its agent gpu1 reached the service before its lease ran out',
        };
        expect(await world.readJob(started.job)).to.include(lost);
        await world.claim({ pool, lease });
        await end(((await world.leaseOf(unstarted.job))?.ends_at ?? 0) + 1, false);
        expect(await world.readJob(unstarted.job)).to.include(lost);
      });
    });

    it('are lost in the end where nothing connects their agents any more', async () => {
      const job = await world.claimedJob({}, { lease: -25 * 3_600_000 });
      await new AgentLeaseReaper({ store: world.host.store }).tick();
      expect(await world.readJob(job.id)).to.include({ state: 'lost' });
    });

    describe('keep their leases', () => {
      it('while their agent says that it runs them, and no others', async () => {
        const [own, other] = [await world.claimedJob(), await world.claimedJob()];
        const { ends_at: before } = (await world.leaseOf(own.id)) ?? { ends_at: 0 };
        const until = before + 60_000;
        const lease = 120_000;
        const live = [
          {
            agent: 'gpu1',
            until,
            lease,
            running: [
              { jobId: own.id, claim: own.claim },
              { jobId: other.id, claim: randomUUID() },
            ],
          },
          {
            agent: 'gpu2',
            until: until + 60_000,
            lease,
            running: [own, other].map(({ id: jobId, claim }) => ({ jobId, claim })),
          },
        ];
        await world.within((tables, { agents }) => agents.renewIn(tables, live));
        expect((await world.leaseOf(own.id))?.ends_at).to.equal(until);
        expect((await world.leaseOf(other.id))?.ends_at).to.be.below(until);
        await world.within((tables, { agents }) => agents.renewIn(tables, [{ ...live[0], until: before } as never]));
        expect((await world.leaseOf(own.id))?.ends_at).to.equal(until);
      });

      it('no longer than those of other attempts, once their agent says so: an answer may come late, but this one has come', async () => {
        const { id, claim } = await world.claimedJob({}, { lease: 60_000 });
        const renew = (until: number, lease: number) =>
          world.within(async (tables, { agents }) => {
            const now = await tables.now();
            await agents.renewIn(tables, [
              { agent: 'gpu1', until: now + until, lease, running: [{ jobId: id, claim }] },
            ]);
            return now;
          });
        const now = await renew(12_000, 13_000);
        const endsAt = async () => (await world.leaseOf(id))?.ends_at ?? 0;
        expect(await endsAt()).to.equal(now + 13_000);
        // Another host has heard from the agent before.
        await renew(5000, 13_000);
        expect(await endsAt()).to.equal(now + 13_000);
      });

      it('all of one agent where heartbeats of an earlier process of it may have been missed, and none of others', async () => {
        const [own, other] = [await world.claimedJob(), await world.claimedJob({}, { agent: 'gpu2' })];
        const { ends_at: before } = (await world.leaseOf(own.id)) ?? { ends_at: 0 };
        const until = before + 60_000;
        const lease = 120_000;
        const named = [{ jobId: own.id, claim: randomUUID() }];
        const live = [
          { agent: 'gpu1', until, lease, running: null },
          { agent: 'gpu3', until: until + 60_000, lease, running: named },
        ];
        await world.within((tables, { agents }) => agents.renewIn(tables, live));
        expect((await world.leaseOf(own.id))?.ends_at).to.equal(until);
        expect((await world.leaseOf(other.id))?.ends_at).to.be.below(until);
      });
    });

    it('say what they wait for', async () => {
      const { id, pool } = await world.scheduleJob({}, { labels: { arch: 'arm64' } });
      await world.within(async (tables) => {
        const now = await tables.now();
        const row = await readById(tables, Job, id);
        await tables.of(Job).update([{ row, set: { scheduled_at: now - 5000, queue_at: now - 5000 } }]);
      });
      const reason = async () => {
        const [shown] = await world.host.forChannels.serialize(Job, [await world.readJob(id)], 'item');
        return (shown as Readonly<Record<string, unknown>>).waiting_reason;
      };
      const seen = {
        agent: `a-${randomUUID()}`,
        pools: { [pool]: null },
        labels: {},
        executors: ['native'],
        slots: 1,
        version: null,
      };
      const see = (fields: object) =>
        world.within(async (tables, { agents }) =>
          agents.seenIn(tables, [{ ...seen, alive_until: (await tables.now()) + 60_000, ...fields }]),
        );
      expect(await reason()).to.equal(`no agent of the pool ${pool} is alive: start one`);
      await see({});
      expect(await reason()).to.equal(`no agent of the pool ${pool} that is alive has the label arch=arm64`);
      await see({ executors: ['podman'] });
      expect(await reason()).to.equal(`no agent of the pool ${pool} that is alive has the executor native`);
      await see({ labels: { arch: 'arm64' }, slots: 0 });
      expect(await reason()).to.equal(`the agents of the pool ${pool} take no further jobs`);
      await see({ labels: { arch: 'arm64' }, pools: { [pool]: [world.owner.company_id + 1] } });
      expect(await reason()).to.equal(`the pool ${pool} is not for jobs of company ${world.owner.company_id}`);
      await see({ labels: { arch: 'arm64' } });
      expect(await reason()).to.equal(null);
      const { id: other } = await world.addTemplate({ executor_options: { pool } });
      await world.host.jobs.schedule(world.actor, { runtemplate_id: other });
      await world.claim({ agent: seen.agent, pool, slots: 1 });
      expect(await reason()).to.equal(
        `all slots of the agents of the pool ${pool} are taken, and companies take turns at those that become free`,
      );
    });
  });
}
