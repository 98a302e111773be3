import { expect } from 'chai';
import { AgentWorld } from './agent-world.ts';
import type { ClaimRequest } from './memory-hosts.ts';

describe('An agent', () => {
  let world: AgentWorld;
  afterEach(() => world.close());

  const claims = () => world.hosts.asks.filter((ask): ask is ClaimRequest => ask.kind === 'claim');
  const pass = (seconds: number) => world.time.pass(seconds * 1000);

  describe('that claims', () => {
    it('asks at its start, once its first heartbeat is stored, and runs what it gets', async () => {
      world = new AgentWorld();
      const job = world.hosts.add();
      await world.begin();
      expect(claims()).to.have.length(1);
      expect(claims()[0]).to.include({ free: 2 }).and.to.deep.include({ abandoned: [] });
      expect(world.hosts.heartbeats[0]?.heartbeat).to.deep.include({
        slots: 2,
        labels: { site: 'brno' },
        executors: ['native', 'http'],
        draining: false,
        running: [],
      });
      expect(world.executor.started).to.deep.equal([job]);
      await world.executor.write(job, 'hello');
      world.executor.end(job, { exitCode: 3, peakMemory: 7 });
      await pass(1);
      expect(world.hosts.eventsOf(job)).to.deep.equal([
        { kind: 'starting' },
        { kind: 'started', pid: 1000 + job },
        { kind: 'output', stream: 'stdout', bytes: Buffer.from('hello'), cut: false },
        {
          kind: 'ended',
          exitCode: 3,
          signal: null,
          timedOut: false,
          lost: false,
          reason: null,
          peakMemory: 7,
          stopReason: null,
        },
      ]);
      expect(world.agent.running).to.equal(0);
    });

    it('claims nothing before a heartbeat is stored', async () => {
      world = new AgentWorld();
      world.hosts.isCut = true;
      await world.begin();
      world.hosts.isCut = false;
      await pass(2);
      expect(claims()).to.deep.equal([]);
      await pass(1);
      expect(claims()).to.have.length(1);
    });

    it('asks every 5 s, a fifth more or less, while it has a free slot', async () => {
      world = await new AgentWorld().begin();
      await pass(600);
      expect(claims().length).to.be.within(101, 151);
    });

    it('asks at once when it hears of work, and when a slot becomes free', async () => {
      world = await new AgentWorld().begin();
      const [first, second, third] = [world.hosts.add(), world.hosts.add(), world.hosts.add()];
      world.hosts.tellOfWork();
      await world.time.pass(10);
      expect(world.executor.started).to.deep.equal([first, second]);
      world.executor.end(first as number);
      await world.time.pass(10);
      expect(world.executor.started).to.deep.equal([first, second, third]);
      expect(claims().map(({ free }) => free)).to.deep.equal([2, 2, 1]);
    });

    it('asks again at once after an answer that was full, until its slots are', async () => {
      world = new AgentWorld({ slots: 5 });
      world.hosts.maxAttempts = 2;
      const jobs = Array.from({ length: 6 }, () => world.hosts.add());
      await world.begin();
      expect(world.executor.started).to.deep.equal(jobs.slice(0, 5));
      expect(claims().map(({ free }) => free)).to.deep.equal([5, 3, 1]);
    });

    it('names what it got in a heartbeat soon, so that hosts know that their answer came', async () => {
      world = new AgentWorld();
      const job = world.hosts.add();
      await world.begin();
      await world.time.pass(250);
      const [first, second] = world.hosts.heartbeats.map(({ heartbeat }) => heartbeat.running);
      expect(first).to.deep.equal([]);
      expect(second).to.deep.equal([{ job, claim: world.hosts.claimOf(job) }]);
    });

    it('waits after an answer that was not full', async () => {
      world = new AgentWorld({ slots: 5 });
      world.hosts.maxAttempts = 2;
      for (let job = 0; job < 3; job += 1) world.hosts.add();
      await world.begin();
      expect(claims().map(({ free }) => free)).to.deep.equal([5, 3]);
    });

    it('asks for nothing while no slot is free, and wants to hear of no work', async () => {
      world = new AgentWorld();
      world.hosts.add();
      world.hosts.add();
      await world.begin();
      expect(world.hosts.wantsWork).to.equal(false);
      await pass(60);
      expect(claims()).to.have.length(1);
      world.executor.end(1);
      await pass(1);
      expect(world.hosts.wantsWork).to.equal(true);
    });

    it('keeps a slot until the end of its attempt is stored', async () => {
      world = new AgentWorld({ slots: 1 });
      const [first, second] = [world.hosts.add(), world.hosts.add()];
      await world.begin();
      world.hosts.isFull = true;
      world.executor.end(first);
      await pass(60);
      expect(world.executor.started).to.deep.equal([first]);
      expect(world.hosts.heartbeats.at(-1)?.heartbeat.running).to.deep.equal([
        { job: first, claim: world.hosts.claimOf(first) },
      ]);
      world.hosts.isFull = false;
      await pass(6);
      expect(world.executor.started).to.deep.equal([first, second]);
    });

    it('gives a claim up that is not answered within 5 s, drops its late answer, and names it until it is answered', async () => {
      world = new AgentWorld();
      const job = world.hosts.add();
      world.hosts.faults = { lost: 0, doubled: 0, mixedUp: 0, maxDelay: 0 };
      const { link } = world.hosts;
      const ask = link.ask.bind(link);
      let late: (() => void) | null = null;
      Object.assign(link, {
        ask: (asked: ClaimRequest, signal: AbortSignal) =>
          late
            ? ask(asked, signal)
            : new Promise((resolve) => {
                late = () => void ask(asked, signal).then(resolve);
              }),
      });
      await world.begin();
      await pass(4.8);
      expect(claims()).to.deep.equal([]);
      await pass(6.2);
      const [naming] = claims();
      expect(naming?.abandoned).to.have.length(1);
      expect(world.executor.started).to.deep.equal([job]);
      (late as unknown as () => void)();
      world.hosts.add();
      await world.time.pass(10);
      expect(claims()[1]?.id).to.equal(naming?.abandoned[0]);
      expect(world.executor.started).to.deep.equal([job]);
      await pass(10);
      expect(claims().at(-1)?.abandoned).to.deep.equal([]);
    });

    it('claims nothing further while 100 claims that it gave up on are unanswered', async () => {
      world = new AgentWorld();
      const { link } = world.hosts;
      const asked: ClaimRequest[] = [];
      Object.assign(link, {
        ask: (ask: ClaimRequest) => {
          asked.push(ask);
          return new Promise(() => {});
        },
      });
      await world.begin();
      await pass(1500);
      expect(Math.max(...asked.map(({ abandoned }) => abandoned.length))).to.equal(100);
      expect(asked.at(-1)?.free).to.equal(0);
    });

    it('drops an answer with more attempts than it asked for, with one line in its log a minute', async () => {
      world = await new AgentWorld().begin();
      const { link } = world.hosts;
      const ask = link.ask.bind(link);
      Object.assign(link, {
        ask: (asked: ClaimRequest, signal: AbortSignal) => ask({ ...asked, free: asked.free + 1 }, signal),
      });
      for (let count = 0; count < 30; count += 1) world.hosts.add();
      await pass(50);
      expect(world.executor.started).to.deep.equal([]);
      expect(world.log).to.deep.equal(['dropped it has 3 attempts for 2 free slots']);
      await pass(60);
      expect(world.log).to.have.length(2);
    });

    it('logs why a claim is refused, and asks again', async () => {
      world = new AgentWorld();
      world.hosts.refusal = { reason: 'The store is away.', final: false };
      const job = world.hosts.add();
      await world.begin();
      expect(world.log).to.deep.equal(['claim refused The store is away.']);
      world.hosts.refusal = null;
      await pass(6);
      expect(world.executor.started).to.deep.equal([job]);
    });

    it('finishes what it runs when it is refused for good, and is over then', async () => {
      world = new AgentWorld();
      const job = world.hosts.add();
      await world.begin();
      world.hosts.refusal = { reason: 'Version 0.1 is too old.', final: true };
      let reason = '';
      void world.agent.over.then((text) => {
        reason = text;
      });
      await pass(60);
      expect([reason, world.executor.running]).to.deep.equal(['', [job]]);
      world.executor.end(job);
      await pass(1);
      expect(reason).to.equal('The hosts refuse this agent: Version 0.1 is too old.');
      expect(world.hosts.endOf(job)).to.include({ exitCode: 0 });
    });
  });

  describe('that cannot run an attempt', () => {
    it('ends it with a reason where it has no such executor', async () => {
      world = new AgentWorld();
      const job = world.hosts.add({}, 'podman');
      await world.begin();
      await pass(1);
      const reason = 'this agent has no executor podman';
      expect(world.hosts.eventsOf(job)).to.have.length(1);
      expect(world.hosts.endOf(job)).to.include({ exitCode: null, reason, lost: false, stopReason: null });
    });

    it('ends it with a reason where the executor hands over no files', async () => {
      world = new AgentWorld();
      const job = world.hosts.add({ files: [{ mark: '@file:1/a', size: 3 }] }, 'http');
      await world.begin();
      await pass(1);
      expect(world.hosts.endOf(job)).to.include({ reason: 'the executor http hands over no files' });
      expect(world.http.started).to.deep.equal([]);
    });

    it('ends it with a reason where the executor does not know an option, which may restrict it', async () => {
      world = new AgentWorld();
      const job = world.hosts.add({ options: { network: false } });
      await world.begin();
      await pass(1);
      expect(world.hosts.endOf(job)?.reason).to.match(/^the executor native .* does not take these options: .*network/);
      expect(world.executor.started).to.deep.equal([]);
    });

    it('ends it with a reason where the executor fails', async () => {
      world = new AgentWorld();
      world.executor.start = () => {
        throw new Error('out of threads');
      };
      const job = world.hosts.add();
      await world.begin();
      await pass(1);
      expect(world.hosts.endOf(job)).to.include({ reason: 'the executor native failed: out of threads' });
    });
  });
});
