import type { Msg } from '@nats-io/transport-node';
import { eventually } from '../../../support/mocha/eventually.ts';
import { startWaitingJob } from '../../fleet/agent-jobs.ts';
import { type FleetTarget, fleetAttack, type HonestAgent } from '../../fleet/fleet-target.ts';
import type { TakenAgent } from '../../fleet/taken-agent.ts';

/** Publishes messages of another agent again, as they were. */
function replay(taken: TakenAgent, messages: readonly Msg[]): void {
  for (const { subject, data, reply, headers } of messages)
    taken.connection.publish(subject, data, { ...(reply && { reply }), ...(headers && { headers }) });
}

/** Listens to all that an agent sends. */
async function listenTo(taken: TakenAgent, { name }: HonestAgent): Promise<void> {
  const { subjects } = taken;
  await taken.listen(subjects.ask(name), subjects.report(name), subjects.alive(name));
}

/** Whether NATS shows nothing of other agents. */
function isBlind({ guard }: FleetTarget): boolean {
  return guard === 'with permissions';
}

/** What was received of one kind. */
function received(taken: TakenAgent, subject: string): readonly Msg[] {
  return taken.received.filter((message) => message.subject === subject);
}

function beats(taken: TakenAgent, { name }: HonestAgent): readonly Msg[] {
  return received(taken, taken.subjects.alive(name));
}

function textOf({ data }: Msg): string {
  return Buffer.from(data).toString('base64');
}

const replayedJobs = fleetAttack(
  'Requests and reports of an agent that another one repeats claim nothing and change no job',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    await using taken = await fleet.takeAgent();
    await using victim = await fleet.startAgent();
    await listenTo(taken, victim);
    const first = await startWaitingJob(fleet, tenant, victim);
    const before = await first.end();
    const asks = received(taken, taken.subjects.ask(victim.name));
    const reports = received(taken, taken.subjects.report(victim.name));
    if (!isBlind(fleet) && (asks.length === 0 || reports.length === 0)) return 'the attack has received nothing';
    await victim.process.stop();
    const waiting = await fleet.addJob(tenant, victim.name, 'true');
    replay(taken, [...asks, ...reports]);
    await taken.settle();
    const { json: claimed } = await tenant.operator.get(`/job/${waiting}.json`);
    if (claimed.state !== 'scheduled') return `a repeated request claimed a job, which is ${claimed.state}`;
    const { json: after } = await tenant.operator.get(`/job/${first.job}.json`);
    return JSON.stringify(after) === JSON.stringify(before) ? null : 'repeated reports changed a job';
  },
);

const keptAlive = fleetAttack(
  'Heartbeats of a dead agent that another one repeats do not keep its jobs from being lost',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    await using taken = await fleet.takeAgent();
    await using victim = await fleet.startAgent();
    await listenTo(taken, victim);
    const { job } = await startWaitingJob(fleet, tenant, victim);
    await eventually('it has sent a heartbeat with its job', () => isBlind(fleet) || beats(taken, victim).length > 8);
    victim.process.program.process.kill('SIGKILL');
    await victim.process.program.ended;
    // What it repeats comes to it as well.
    const heartbeats = [...beats(taken, victim)];
    await eventually('its job is lost', async () => {
      replay(taken, heartbeats);
      return (await tenant.operator.get(`/job/${job}.json`)).json.state === 'lost';
    });
    return null;
  },
);

const madeDead = fleetAttack(
  'Old heartbeats of an agent that another one repeats do not make the jobs lost that it runs',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    await using taken = await fleet.takeAgent();
    await using victim = await fleet.startAgent();
    await listenTo(taken, victim);
    await eventually('it has sent a heartbeat without a job', () => isBlind(fleet) || beats(taken, victim).length > 0);
    const old = beats(taken, victim).slice(0, 1);
    const known = new Set(old.map(textOf));
    const running = await startWaitingJob(fleet, tenant, victim);
    const repeat = async () => {
      for (let times = 0; times < 20; times += 1) {
        replay(taken, old);
        await taken.connection.flush();
      }
    };
    // Each heartbeat is followed by the old one, which is the latest by the time of NATS then, to the millisecond.
    taken.connection.subscribe(taken.subjects.alive(victim.name), {
      callback: (_, message) => {
        if (message?.data === undefined || known.has(textOf(message))) return;
        known.add(textOf(message));
        void repeat();
      },
    });
    await eventually('it has run for longer than its lease', () => old.length === 0 || known.size > 20);
    const { state, exit_code } = await running.end();
    return state === 'failed' && exit_code === 7 ? null : `its job ended ${state}`;
  },
);

export const agentReplayAttacks = [replayedJobs, keptAlive, madeDead];
