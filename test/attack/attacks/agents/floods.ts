import { randomBytes } from 'node:crypto';
import { eventually } from '../../../support/mocha/eventually.ts';
import { startWaitingJob } from '../../fleet/agent-jobs.ts';
import { fleetAttack } from '../../fleet/fleet-target.ts';
import { ended, printed, type TakenAgent } from '../../fleet/taken-agent.ts';
import { findLongBlock } from '../../service-metrics.ts';

const mebibyte = 1024 * 1024;

/** Sends as much as it can for as long as something goes on. */
async function floodWhile<T>(taken: TakenAgent, send: () => void, work: () => Promise<T>): Promise<T> {
  const { connection } = taken;
  let isOver = false;
  const flood = (async () => {
    while (!isOver) {
      for (let count = 0; count < 100; count += 1) send();
      await connection.flush();
    }
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await flood;
  }
}

/** More than may wait of one agent. */
const unreadableReports = 30_000;

const floods = fleetAttack(
  'A flood of requests, heartbeats and junk by one agent keeps no other agent from running jobs',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    await using taken = await fleet.takeAgent();
    await using victim = await fleet.startAgent();
    const { subjects, name } = taken;
    const job = async () => tenant.operator.endOfJob(await fleet.addJob(tenant, victim.name, 'echo done'));
    const sends: Readonly<Record<string, () => void>> = {
      requests: () => taken.send({ kind: 'claim', free: 0 }),
      'unreadable requests': () => taken.publish(subjects.ask(name), randomBytes(200), { reply: taken.newInbox() }),
      heartbeats: () => void taken.beat({ labels: { at: String(Math.random()).slice(2) } }),
    };
    for (const [what, send] of Object.entries(sends)) {
      const { result, block } = await findLongBlock(fleet.target, () => floodWhile(taken, send, job));
      if (result.state !== 'succeeded') return `during a flood of ${what} a job ended ${result.state}`;
      if (block !== null) return `during a flood of ${what} ${block}`;
    }
    for (let count = 0; count < unreadableReports; count += 1) taken.publish(subjects.report(name), randomBytes(200));
    await taken.connection.flush();
    const { result, block } = await findLongBlock(fleet.target, job);
    return result.state === 'succeeded' ? block : `after many unreadable reports a job ended ${result.state}`;
  },
);

/** More than hosts take out of the stream before some of it is settled. */
const earlyReports = 3000;

const gaps = fleetAttack(
  'Reports of one agent that leave others out keep no report of another agent waiting, and no lost job from being found',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    await using taken = await fleet.takeAgent();
    await using victim = await fleet.startAgent();
    await fleet.addJob(tenant, taken.name, 'true');
    const attempt = await taken.claim();
    for (let seq = 2; seq < earlyReports; seq += 1) taken.report(attempt, printed('early'), { seq });
    await taken.connection.flush();
    const done = await tenant.operator.endOfJob(await fleet.addJob(tenant, victim.name, 'echo done'));
    if (done.stdout !== 'done\n') return `a job of another agent ended ${done.state}`;
    taken.report(attempt, printed('early'), { seq: 5000 });
    const { job } = await startWaitingJob(fleet, tenant, victim);
    victim.process.program.process.kill('SIGKILL');
    await eventually('the job of a dead agent is lost', async () => {
      await taken.beat({ running: [{ job: attempt.job, claim: attempt.claim }] });
      return (await tenant.operator.get(`/job/${job}.json`)).json.state === 'lost';
    });
    return null;
  },
);

const lies = fleetAttack(
  'Messages of an agent that are none, too large or full of lies stop no host',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    await using taken = await fleet.takeAgent();
    await using victim = await fleet.startAgent();
    const { subjects, name } = taken;
    const most = Number.MAX_SAFE_INTEGER;
    const odd = `\0\ud800'"\u202e${'x'.repeat(900)}`;
    const texts = { reason: odd, signal: '\0'.repeat(32), stopReason: odd };
    const numbers = { exitCode: -most, peakMemory: most };
    for (const subject of [subjects.ask(name), subjects.report(name), subjects.alive(name)]) {
      const reply = taken.newInbox();
      const bodies = ['', '\0', '{}', 'null', '[]', `{"kind":"${'x'.repeat(1000)}"}`, '{"__proto__":{"kind":"claim"}}'];
      for (const body of bodies) {
        const head = Buffer.from(body);
        const length = Buffer.alloc(4);
        length.writeUInt32BE(head.length);
        for (const whole of [head, Buffer.concat([length, head]), Buffer.from([0xff, 0xff, 0xff, 0xff])])
          taken.publish(subject, taken.seal(subject, whole), { reply });
      }
      for (const size of [0, 1, 64, 65, 66, 112, 113, mebibyte - 1000])
        taken.publish(subject, randomBytes(size), { reply });
      taken.publish(subject, taken.seal(subject, Buffer.alloc(mebibyte / 2, '{"a":')), { reply });
    }
    for (const age of [most, 0])
      for (const lie of [{}, texts, numbers, { ...texts, ...numbers }]) {
        await fleet.addJob(tenant, name, 'true');
        const attempt = await taken.claim();
        taken.report(attempt, { kind: 'started', pid: most }, { age });
        for (const progress of [33.5, 1e-320, -1, most]) {
          const event = { kind: 'progress', progress, message: null };
          taken.reportAnything({ job: attempt.job, claim: attempt.claim, seq: 2, age, event });
        }
        taken.report(attempt, { kind: 'progress', progress: 100, message: odd }, { age });
        taken.report(attempt, {
          kind: 'file',
          filename: odd,
          contentType: odd.slice(0, 255),
          size: most,
          sha256: 'a'.repeat(64),
        });
        taken.report(attempt, { kind: 'piece', bytes: Buffer.alloc(100) });
        taken.report(attempt, printed(odd), { age });
        taken.report(attempt, ended(lie), { age });
        const { state, started_at, finished_at } = await tenant.operator.endOfJob(attempt.job);
        if (Date.parse(finished_at) < Date.parse(started_at)) return `a job ended ${state} before it began`;
      }
    const { state } = await tenant.operator.endOfJob(await fleet.addJob(tenant, victim.name, 'true'));
    return state === 'succeeded' ? null : `a job of another agent ended ${state}`;
  },
);

export const agentFloodAttacks = [floods, gaps, lies];
