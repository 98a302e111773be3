import { createHash } from 'node:crypto';
import type { ArtifactFile } from '@horarium/core/plugin';
import { expect } from 'chai';
import type { AgentReport, GivenFileDescription } from '../../../../plugins/fleet-nats/wire/messages/messages.ts';
import { Random } from '../../../support/simulation/world/random.ts';
import { AgentWorld } from './agent-world.ts';
import type { MemoryHosts } from './memory-hosts.ts';

/** How much of a seed is simulated under faults, in seconds. */
const duration = 600;
const jobs = 40;
/** The longest time after its last stored heartbeat that an agent may run something, in milliseconds. */
const lease = 10_000;
/** `SIM_SEED=7` runs that seed alone, `SIM_SEED=1-500` that range. */
const [, one = '1', last = one] = /^(\d+)(?:-(\d+))?$/.exec(process.env['SIM_SEED'] ?? '1-40') ?? [];
const seeds = Array.from({ length: Number(last) - Number(one) + 1 }, (_, index) => Number(one) + index);

/** What the world did under a seed. */
interface Acts {
  readonly queued: number[];
  /** The output of each job. */
  readonly written: Map<number, string>;
}

/** What happened under a seed. */
interface Outcome extends Acts {
  readonly world: AgentWorld;
  /** What was wrong while it ran. */
  readonly findings: readonly string[];
  readonly started: readonly number[];
}

describe('An agent whose messages are lost, doubled, late and out of order', () => {
  const seen = { givenUp: 0, killed: 0, stopped: 0 };

  for (let first = 0; first < seeds.length; first += 10) {
    const some = seeds.slice(first, first + 10);
    it(`keeps what it promises under the seeds ${some[0]} to ${some.at(-1)}`, async () => {
      for (const seed of some) {
        const { world, findings, written, started } = await simulate(seed);
        const hint = `seed ${seed}`;
        expect(findings, hint).to.deep.equal([]);
        expect(started, `${hint}: no job starts twice`).to.have.length(new Set(started).size);
        for (let job = 1; job <= jobs; job += 1) checkReports(world, job, written.get(job) ?? '', hint);
        // What was stopped while it was being announced never starts.
        for (const job of world.hosts.unstopped()) expect(started, `${hint}: job ${job} starts`).to.include(job);
        expect(world.agent.running, hint).to.equal(0);
        const { ends } = world.hosts;
        seen.givenUp += world.hosts.givenUp.length;
        seen.killed += ends.filter(({ lost }) => lost).length;
        seen.stopped += ends.filter(({ lost, stopReason }) => !lost && stopReason !== null).length;
      }
    });
  }

  if (seeds.length > 1)
    it('gives claims up, kills what runs and stops it under some seeds', () => {
      expect(Math.min(...Object.values(seen))).to.be.above(50);
    });
});

/** Runs an agent under faults, then without, until everything has been done. */
async function simulate(seed: number): Promise<Outcome> {
  const random = new Random(seed);
  const world = new AgentWorld({ seed, slots: 4 }, random.integer(-86_400_000, 86_400_000));
  const { hosts, time, agent } = world;
  const findings: string[] = [];
  const acts: Acts = { queued: [], written: new Map() };
  const faults = {
    lost: random.pick([0, 0.1, 0.3]),
    doubled: random.pick([0, 0.2]),
    mixedUp: random.pick([0, 0.1]),
    maxDelay: random.pick([5, 500, 8000]),
  };
  agent.start();
  for (let second = 0; second < duration; second += 1) {
    hosts.faults = random.chance(0.8) ? faults : { ...faults, lost: 0 };
    if (random.chance(0.01)) hosts.isCut = true;
    else if (random.chance(0.1)) hosts.isCut = false;
    if (random.chance(0.02)) hosts.areAway = true;
    else if (random.chance(0.1)) hosts.areAway = false;
    hosts.isFull = random.chance(hosts.isFull ? 0.8 : 0.02);
    act(world, random, acts);
    for (let part = 0; part < 4; part += 1) {
      await time.pass(250);
      findings.push(...wrongNow(world));
    }
  }
  Object.assign(hosts, {
    faults: { lost: 0, doubled: 0, mixedUp: 0, maxDelay: 0 },
    isCut: false,
    areAway: false,
    isFull: false,
  });
  for (let second = 0; second < 600 && !isDone(world); second += 1) {
    act(world, random, acts);
    await time.pass(1000);
  }
  await time.pass(30_000);
  const started = [...world.executor.started, ...world.http.started];
  for (const { claim, job } of hosts.givenUp)
    if (hosts.stored.some((report) => report.claim === claim))
      findings.push(`job ${job} of ${claim}, which was given up, ran`);
  await world.close();
  return { world, findings, started, ...acts };
}

function isDone({ hosts, agent }: AgentWorld): boolean {
  return hosts.queue.length === 0 && hosts.ends.length === jobs && agent.running === 0;
}

/** Lets time bring what it does: jobs, output, ends and requests to stop. */
function act({ hosts, executor, http }: AgentWorld, random: Random, { written, queued }: Acts): void {
  if (queued.length < jobs && random.chance(0.2)) {
    const executor = random.pick(['native', 'http']);
    const files = executor === 'native' && random.chance(0.5) ? [giveFile(hosts, queued.length, random)] : [];
    queued.push(hosts.add({ files }, executor));
    hosts.tellOfWork();
  }
  for (const running of [executor, http]) {
    for (const job of running.running) {
      const line = `${job}: ${'x'.repeat(random.integer(0, 2000))}\n`;
      if (random.chance(0.5)) {
        void running.write(job, line);
        written.set(job, (written.get(job) ?? '') + line);
      }
      if (random.chance(0.1)) running.end(job, { files: random.chance(0.3) ? [leftFile(random)] : [] });
      else if (random.chance(0.03)) hosts.stop(job, 'cancelled');
    }
  }
}

/** Stores a file for a job. */
function giveFile(hosts: MemoryHosts, number: number, random: Random): GivenFileDescription {
  const content = bytesOf(random);
  const mark = `@file:${number}/a`;
  hosts.files.set(mark, content);
  return { mark, size: content.length };
}

function leftFile(random: Random): ArtifactFile {
  const content = bytesOf(random);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { filename: 'a', contentType: 'text/plain', sha256, content };
}

function bytesOf(random: Random): Buffer {
  return Buffer.alloc(random.integer(0, 400_000), `${random.next()}`);
}

/** Returns what must not be at any moment. */
function wrongNow({ hosts, executor, http, clock }: AgentWorld): string[] {
  const running = [...executor.running, ...http.running];
  const last = hosts.heartbeats.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  const findings: string[] = [];
  if (running.length > 0 && clock.uptime() > last + lease + 20)
    findings.push(`jobs ${running} run ${clock.uptime() - last} ms after the last stored heartbeat`);
  const doubled = running.filter((job) => running.indexOf(job) !== running.lastIndexOf(job));
  if (doubled.length > 0) findings.push(`jobs ${doubled} run twice at once`);
  if (running.length > 4) findings.push(`${running.length} jobs run in 4 slots`);
  return findings;
}

/** Checks that the events of a job are complete, in their order, each once, and as old as they say. */
function checkReports({ hosts, executor }: AgentWorld, job: number, written: string, hint: string): void {
  const reports = hosts.stored.filter((report) => report.job === job);
  const where = `${hint}, job ${job}`;
  expect(new Set(reports.map(({ claim }) => claim)).size, where).to.equal(1);
  expect(
    reports.map(({ seq }) => seq),
    where,
  ).to.deep.equal(reports.map((_, index) => index + 1));
  const kinds = reports.map(({ event }: AgentReport) => event.kind);
  expect(kinds[0], where).to.equal('starting');
  expect(
    kinds.filter((kind) => kind === 'ended'),
    where,
  ).to.have.length(1);
  expect(kinds.at(-1), where).to.equal('ended');
  const wasKilled = hosts.endOf(job)?.lost === true;
  const output = hosts.outputOf(job);
  if (wasKilled) expect(written.startsWith(output), where).to.equal(true);
  else expect(output, where).to.equal(written);
  // It compares the hash of each file that arrived.
  hosts.filesOf(job);
  const input = hosts.inputOf(job);
  if (input && hosts.endOf(job)?.stopReason === null)
    expect(executor.read.get(job)?.equals(input), where).to.equal(true);
}
