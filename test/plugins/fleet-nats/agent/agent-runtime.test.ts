import { expect } from 'chai';
import { AgentWorld } from './agent-world.ts';
import type { ClaimRequest } from './memory-hosts.ts';

describe('An agent', () => {
  let world: AgentWorld;
  afterEach(() => world.close());

  const claims = () => world.hosts.asks.filter((ask): ask is ClaimRequest => ask.kind === 'claim');
  const pass = (seconds: number) => world.time.pass(seconds * 1000);

  describe('with a lease', () => {
    it('sends a heartbeat four times in each, and tells the executors how long it lasts from when it was sent', async () => {
      world = await new AgentWorld().begin();
      await pass(10);
      expect(world.hosts.heartbeats.map(({ at }) => at - (world.hosts.heartbeats[0]?.at as number))).to.deep.equal([
        0, 2500, 5000, 7500, 10_000,
      ]);
      expect(world.executor.keepAlives).to.deep.equal([10_000, 10_000, 10_000, 10_000, 10_000]);
      world.hosts.faults = { lost: 0, doubled: 0, mixedUp: 0, maxDelay: 1200 };
      await pass(30);
      expect(Math.min(...world.executor.keepAlives)).to.be.within(7600, 9999);
    });

    it('kills what runs once no heartbeat was stored for its length, and says so in the ends', async () => {
      world = new AgentWorld({ slots: 3 });
      const jobs = [world.hosts.add(), world.hosts.add({}, 'http')];
      await world.begin();
      world.hosts.isCut = true;
      await world.time.pass(9850);
      expect([world.executor.running, world.http.running]).to.deep.equal([[1], [2]]);
      await world.time.pass(100);
      expect([world.executor.running, world.http.running]).to.deep.equal([[], []]);
      expect(world.executor.keepAlives.at(-1)).to.equal(0);
      // The executor with a lease of its own may kill what it runs first.
      expect(world.log[0]).to.match(/^lease lost (?:1,)?2$/);
      world.hosts.isCut = false;
      await pass(15);
      const reason = 'the agent’s lease ran out: no heartbeat was stored for 10 s';
      for (const job of jobs) expect(world.hosts.endOf(job)).to.include({ lost: true, exitCode: null });
      expect(world.hosts.endOf(2)).to.include({ reason, stopReason: reason });
    });

    it('counts from when a heartbeat was sent, however late its acknowledgement comes', async () => {
      world = new AgentWorld();
      world.hosts.add();
      await world.begin();
      await pass(3);
      const sentAt = world.hosts.heartbeats.at(-1)?.at as number;
      world.hosts.faults = { lost: 0, doubled: 0, mixedUp: 0, maxDelay: 1 };
      const beat = world.hosts.link.beat.bind(world.hosts.link);
      const acknowledgements: (() => void)[] = [];
      Object.assign(world.hosts.link, {
        beat: (...sent: Parameters<typeof beat>) =>
          new Promise<void>((resolve) => void beat(...sent).then(() => acknowledgements.push(resolve))),
      });
      await world.time.pass(sentAt + 9900 - world.clock.uptime());
      expect(world.executor.running).to.deep.equal([1]);
      acknowledgements[0]?.();
      await world.time.pass(2300);
      expect(world.executor.running).to.deep.equal([1]);
      await world.time.pass(400);
      expect(world.executor.running).to.deep.equal([]);
    });

    it('claims again once heartbeats are stored and what it killed has ended', async () => {
      world = new AgentWorld({ slots: 4 });
      world.http.obeys = false;
      world.hosts.add({}, 'http');
      await world.begin();
      world.hosts.isCut = true;
      await pass(12);
      world.hosts.isCut = false;
      const next = world.hosts.add();
      const kept = world.executor.keepAlives.length;
      await pass(60);
      expect(world.executor.started).to.deep.equal([]);
      expect(world.executor.keepAlives).to.have.length(kept);
      world.http.end(1, { exitCode: null });
      await pass(6);
      expect(world.executor.started).to.deep.equal([next]);
      expect(world.executor.keepAlives.at(-1)).to.be.within(7400, 10_000);
      expect(world.executor.running).to.deep.equal([next]);
    });

    it('kills what runs when the machine was suspended for longer, although its monotonic clock stood still', async () => {
      world = new AgentWorld();
      world.hosts.add({}, 'http');
      await world.begin();
      world.time.suspend(60_000);
      await pass(3);
      expect(world.http.running).to.deep.equal([]);
    });

    it('gives up the claim whose answer it awaits when it runs out, also where it is renewed before the answer', async () => {
      world = await new AgentWorld().begin();
      await pass(3);
      const { link } = world.hosts;
      const { ask, beat } = link;
      const answers: (() => void)[] = [];
      Object.assign(link, { beat: () => new Promise(() => {}) });
      await pass(8);
      const job = world.hosts.add();
      Object.assign(link, {
        ask: (...sent: Parameters<typeof ask>) =>
          new Promise((resolve) => void ask(...sent).then((answer) => answers.push(() => resolve(answer)))),
      });
      world.hosts.tellOfWork();
      await pass(1);
      const first = world.hosts.claimOf(job);
      await pass(1);
      Object.assign(link, { ask, beat });
      await pass(2.4);
      expect(world.executor.keepAlives.at(-1)).to.be.above(9000);
      answers[0]?.();
      await pass(6);
      expect(world.hosts.givenUp).to.deep.equal([{ claim: first, job }]);
      expect(world.executor.started).to.deep.equal([job]);
    });

    it('sends the next heartbeat soon after one that was refused, so that it outlasts the election of a server', async () => {
      world = new AgentWorld();
      world.hosts.add();
      await world.begin();
      // Just after a heartbeat was stored, and for so long that the next but one in its turn would come too late.
      await world.time.pass(2650);
      world.hosts.isElecting = true;
      await world.time.pass(9200);
      world.hosts.isElecting = false;
      await pass(2);
      expect(world.executor.running).to.deep.equal([1]);
      expect(world.hosts.refusedBeats.length).to.be.within(9, 19);
    });

    it('has the length that the hosts tell', async () => {
      world = new AgentWorld();
      world.hosts.lease = 40_000;
      world.hosts.add({}, 'http');
      await world.begin();
      await pass(30);
      world.hosts.isCut = true;
      await pass(29);
      expect(world.http.running).to.deep.equal([1]);
      await pass(11);
      expect(world.http.running).to.deep.equal([]);
    });
  });

  describe('whose lease a host shortens', () => {
    it('gives up the claim that says so where the lease is over by it, and runs its attempts after a heartbeat', async () => {
      world = await new AgentWorld().begin();
      await pass(2);
      world.hosts.lease = 1500;
      const job = world.hosts.add();
      world.hosts.tellOfWork();
      await pass(8);
      expect(world.hosts.givenUp.map(({ job: each }) => each)).to.deep.equal([job]);
      expect(world.executor.started).to.deep.equal([job]);
      const beats = world.hosts.heartbeats.slice(-2).map(({ at }) => at);
      expect((beats[1] as number) - (beats[0] as number)).to.equal(375);
    });
  });

  describe('with a job that reports its progress', () => {
    it('reports the latest one, at most once a second, and the last one before its end', async () => {
      world = new AgentWorld();
      const job = world.hosts.add();
      await world.begin();
      for (let percent = 1; percent <= 30; percent += 1) {
        world.executor.progress(job, percent);
        await world.time.pass(100);
      }
      await pass(2);
      world.executor.progress(job, 40);
      world.executor.progress(job, 50);
      world.executor.end(job);
      await pass(1);
      expect(world.hosts.progressOf(job)).to.deep.equal([1, 10, 20, 30, 50]);
      expect(world.hosts.endOf(job)).to.include({ exitCode: 0 });
    });
  });

  describe('whose hosts are away', () => {
    it('runs on and reports, claims nothing, and claims again when they are back', async () => {
      world = new AgentWorld();
      const job = world.hosts.add();
      await world.begin();
      world.hosts.areAway = true;
      world.hosts.add();
      await pass(12);
      const asked = claims().length;
      await pass(600);
      await world.executor.write(job, 'still here');
      await pass(1);
      expect(world.hosts.outputOf(job)).to.equal('still here');
      expect([claims().length, world.executor.running, world.hosts.wantsWork]).to.deep.equal([asked, [job], false]);
      world.hosts.areAway = false;
      await pass(7);
      expect(world.executor.running).to.deep.equal([job, 2]);
      expect(world.log).to.deep.equal(['hosts away 1', 'hosts back']);
    });

    it('stops what runs after the offline grace, and says why in the ends', async () => {
      world = new AgentWorld();
      world.hosts.offlineGrace = 60_000;
      const job = world.hosts.add();
      await world.begin();
      world.hosts.areAway = true;
      await pass(57);
      expect(world.executor.running).to.deep.equal([job]);
      await pass(4);
      const reason = 'no host has shown a sign of life for 60 s';
      expect(world.executor.stops).to.deep.equal([{ job, reason }]);
      expect(world.hosts.endOf(job)).to.include({ signal: 'SIGTERM', lost: true, reason, stopReason: reason });
      expect(world.log.at(-1)).to.equal('offline too long 60000 1');
    });
  });

  describe('that gets an order', () => {
    it('stops the job of that claim, once, and says why in its end', async () => {
      world = new AgentWorld();
      const job = world.hosts.add();
      await world.begin();
      world.hosts.order({ kind: 'stop', job, claim: 'another', reason: 'a mistake' });
      await pass(1);
      expect(world.executor.stops).to.deep.equal([]);
      world.executor.obeys = false;
      for (let count = 0; count < 3; count += 1) world.hosts.stop(job, 'cancelled by anna');
      await pass(1);
      expect(world.executor.stops).to.deep.equal([{ job, reason: 'cancelled by anna' }]);
      world.executor.end(job, { exitCode: null, signal: 'SIGKILL' });
      await pass(1);
      const end = { signal: 'SIGKILL', lost: false, reason: null, stopReason: 'cancelled by anna' };
      expect(world.hosts.endOf(job)).to.include(end);
      world.hosts.stop(job, 'late');
      await pass(1);
      expect(world.hosts.eventsOf(job).filter(({ kind }) => kind === 'ended')).to.have.length(1);
    });

    it('claims nothing when it is drained, runs what it has, and stays', async () => {
      world = new AgentWorld();
      const job = world.hosts.add();
      await world.begin();
      for (let count = 0; count < 3; count += 1) world.hosts.order({ kind: 'drain' });
      world.hosts.add();
      await pass(60);
      expect(world.executor.started).to.deep.equal([job]);
      expect(world.hosts.heartbeats.at(-1)?.heartbeat.draining).to.equal(true);
      expect(world.log).to.deep.equal(['drained']);
      world.executor.end(job);
      await pass(60);
      expect(world.executor.started).to.deep.equal([job]);
      expect(world.hosts.heartbeats.at(-1)?.heartbeat.running).to.deep.equal([]);
    });

    it('claims again when its drain is over, but not while it shuts down', async () => {
      world = await new AgentWorld().begin();
      world.hosts.order({ kind: 'drain' });
      await pass(10);
      const job = world.hosts.add();
      await pass(10);
      expect(world.executor.started).to.deep.equal([]);
      for (let count = 0; count < 3; count += 1) world.hosts.order({ kind: 'undrain' });
      await pass(1);
      expect(world.executor.started).to.deep.equal([job]);
      expect(world.hosts.heartbeats.at(-1)?.heartbeat.draining).to.equal(false);
      expect(world.log).to.deep.equal(['drained', 'undrained']);
      void world.agent.drain(60_000);
      world.hosts.order({ kind: 'undrain' });
      world.hosts.add();
      await pass(30);
      expect(world.executor.started).to.deep.equal([job]);
      expect(world.hosts.heartbeats.at(-1)?.heartbeat.draining).to.equal(true);
      world.executor.end(job);
      await pass(1);
    });

    it('kills what runs when it is revoked, and is over with the reason', async () => {
      world = new AgentWorld();
      world.hosts.add();
      world.hosts.add({}, 'http');
      await world.begin();
      world.hosts.order({ kind: 'revoked', reason: 'its machine was sold' });
      await world.time.pass(1);
      expect([world.executor.running, world.http.running]).to.deep.equal([[], []]);
      expect(await world.agent.over).to.equal('its machine was sold');
      world.hosts.add();
      const asked = claims().length;
      await pass(60);
      expect(claims()).to.have.length(asked);
    });

    it('runs nothing of an answer that comes after it was revoked', async () => {
      world = new AgentWorld();
      world.hosts.faults = { lost: 0, doubled: 0, mixedUp: 0, maxDelay: 1000 };
      await world.begin();
      await pass(20);
      world.hosts.add();
      world.hosts.tellOfWork();
      const asked = claims().length;
      while (claims().length === asked) await world.time.pass(1);
      world.hosts.faults = { lost: 0, doubled: 0, mixedUp: 0, maxDelay: 0 };
      world.hosts.order({ kind: 'revoked', reason: 'its machine was sold' });
      await pass(10);
      expect(world.executor.started).to.deep.equal([]);
    });
  });

  describe('that is shut down', () => {
    it('waits for what runs, and tells that it drains', async () => {
      world = new AgentWorld();
      const job = world.hosts.add();
      await world.begin();
      let left: number | undefined;
      void world.agent.drain(60_000).then((count) => {
        left = count;
      });
      await pass(30);
      expect(world.hosts.heartbeats.at(-1)?.heartbeat.draining).to.equal(true);
      expect(left).to.equal(undefined);
      world.executor.end(job);
      await pass(1);
      expect(left).to.equal(0);
      expect(world.hosts.endOf(job)).to.include({ exitCode: 0, lost: false, stopReason: null });
    });

    it('stops what runs after the grace, and reports the ends', async () => {
      world = new AgentWorld();
      const job = world.hosts.add();
      await world.begin();
      const drained = world.agent.drain(60_000);
      await pass(61);
      expect(await drained).to.equal(0);
      const reason = 'the agent was shut down';
      expect(world.hosts.endOf(job)).to.include({ signal: 'SIGTERM', lost: true, reason, stopReason: reason });
    });

    it('runs also what an answer brings that was under way', async () => {
      world = await new AgentWorld().begin();
      await pass(20);
      world.hosts.faults = { lost: 0, doubled: 0, mixedUp: 0, maxDelay: 1000 };
      const asked = claims().length;
      const job = world.hosts.add();
      while (claims().length === asked) await world.time.pass(1);
      const drained = world.agent.drain(60_000);
      await pass(5);
      expect(world.executor.started).to.deep.equal([job]);
      world.executor.end(job);
      await pass(10);
      expect(await drained).to.equal(0);
    });

    it('says in its last heartbeat that it ends', async () => {
      world = await new AgentWorld().begin();
      const drained = world.agent.drain(10_000);
      await pass(5);
      await drained;
      const last = world.hosts.heartbeats.splice(0).at(-1)?.heartbeat;
      expect(last).to.include({ draining: true, stopped: true });
    });

    it('ends without the reports that are not stored within 30 s after the stop', async () => {
      world = new AgentWorld();
      world.hosts.add();
      await world.begin();
      world.hosts.isFull = true;
      const drained = world.agent.drain(10_000);
      await pass(45);
      expect(await drained).to.equal(1);
    });
  });

  it('logs once a day that its credential expires', async () => {
    world = new AgentWorld();
    world.hosts.expiresIn = 86_400_000;
    await world.begin();
    await pass(3600);
    expect(world.log.filter((line) => line.startsWith('credential'))).to.deep.equal(['credential expires 86400000']);
  });
});
