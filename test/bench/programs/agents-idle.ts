import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { version } from '../../../host/version.ts';
import type { HostLink } from '../../../plugins/fleet-nats/agent/host-link.ts';
import { protocol } from '../../../plugins/fleet-nats/wire/messages/protocol.ts';
import { AgentFleet, onAgents } from '../harness/agents/agent-fleet.ts';
import { NoopExecutor } from '../harness/bench-core.ts';
import { openDatabase } from '../harness/databases.ts';
import { childrenOf, processorTimeOf } from '../harness/processor-time.ts';
import { median, quantile, timed } from '../harness/rounds.ts';
import { memoryDetailsOf, ownRoot, type ProcessMemory, type Service } from '../harness/service.ts';
import type { Report, Target } from '../results.ts';

export const name = 'agents: one that is idle, and 200 of them on one host';
const many = 200;
const minute = 60_000;
const claims = 200;
/** The agent that claims while the others are idle. */
const claiming = 'agent-1';
const natsClient = "require('@nats-io/transport-node'); require('@nats-io/jetstream')";

/** Measures what an idle agent costs its machine, and what idle agents, which share one process here, cost the host. */
export async function run(report: Report): Promise<void> {
  await using opened = await openDatabase('SQLite FULL');
  await using fleet = await AgentFleet.start(opened, { agents: 2 + many });
  await measureOne(report, fleet);
  await measureMany(report, fleet);
}

async function measureOne(report: Report, fleet: AgentFleet): Promise<void> {
  const { program } = await fleet.startProcess('agent-2', 8);
  const pid = program.process.pid as number;
  await settle();
  const usedBefore = processorTimeOf(pid);
  await pause(minute);
  const used = processorTimeOf(pid) - usedBefore;
  reportMemory(report, 'an idle agent', memoryDetailsOf(pid), { max: 60 });
  report.figure('   processor time in a minute', used, 'ms');
  reportMemory(report, '   baseline: bare Node', await memoryOfNode(''));
  reportMemory(report, '   baseline: Node with the client of NATS, not connected', await memoryOfNode(natsClient));
  await runJob(fleet.service);
  await settle();
  reportMemory(report, 'idle again after a native job', memoryDetailsOf(pid));
  for (const launcher of childrenOf(pid))
    reportMemory(report, 'its launcher of native jobs', memoryDetailsOf(launcher));
  program.process.kill('SIGTERM');
  await program.ended;
}

/** @param target of the resident memory. */
function reportMemory(report: Report, what: string, memory: ProcessMemory, target?: Target): void {
  const { resident, proportional, own } = memory;
  report.figure(`${what}, resident`, resident, 'MB', target);
  report.figure('   with its part of what processes have in common', proportional, 'MB');
  report.figure('   its own', own, 'MB');
}

/** The memory of a process that has run a program and goes on doing nothing. */
async function memoryOfNode(program: string): Promise<ProcessMemory> {
  const node = spawn(process.execPath, ['-e', `${program}; setInterval(() => {}, 60_000)`], {
    cwd: ownRoot,
    stdio: 'ignore',
  });
  await pause(1000);
  const memory = memoryDetailsOf(node.pid as number);
  node.kill();
  return memory;
}

async function measureMany(report: Report, fleet: AgentFleet): Promise<void> {
  const { service } = fleet;
  const link = await fleet.connect(claiming);
  const alone = await claimTimes(link);
  const memory = memoryDetailsOf(service.pid);
  const executor = new NoopExecutor();
  for (let index = 3; index < 3 + many; index++) await fleet.startHere(`agent-${index}`, 8, executor);
  await settle();
  const [usedBefore, natsBefore] = [processorTimeOf(service.pid), processorTimeOf(fleet.nats.server.pid)];
  await pause(minute);
  report.figure(
    `${many} idle agents, processor time of the host in a minute`,
    processorTimeOf(service.pid) - usedBefore,
    'ms',
  );
  report.figure('   of nats-server', processorTimeOf(fleet.nats.server.pid) - natsBefore, 'ms');
  report.figure('   resident memory of the host, without them', memory.resident, 'MB');
  report.figure('   with them', memoryDetailsOf(service.pid).resident, 'MB');
  const beside = await claimTimes(link);
  await link.close();
  for (const [where, times] of [
    ['without other agents', alone],
    ['beside them', beside],
  ] as const) {
    report.figure(`a claim that finds nothing, ${where}, p50`, median(times), 'ms');
    report.figure('   p95', quantile(times, 0.95), 'ms');
  }
}

/** The times of claims, one at a time. */
async function claimTimes(link: HostLink): Promise<number[]> {
  const { signal } = new AbortController();
  const heartbeat = { version, protocol, instance: randomUUID(), slots: 8, labels: {}, executors: ['native'] };
  const times: number[] = [];
  for (let claim = 0; claim < claims; claim++) {
    await link.beat({ ...heartbeat, draining: false, stopped: false, running: [] }, signal);
    times.push(await timed(() => link.ask({ kind: 'claim', id: randomUUID(), free: 1, abandoned: [] }, signal)));
  }
  return times;
}

async function runJob(service: Service): Promise<void> {
  const app = await service.request('POST', '/app/', { name: 'true', executable: 'true' });
  const company = await service.request('POST', '/company/', { code: 'bench', name: 'bench' });
  const owners = { app_id: app['id'], company_id: company['id'] };
  const fields = { name: 'true', interval: 'none', ...onAgents, ...owners };
  const template = await service.request('POST', '/runtemplate/', fields);
  const job = await service.request('POST', '/job/', { runtemplate_id: template['id'] });
  while ((await service.request('GET', `/job/${job['id']}.json`))['finished_at'] === null) await pause(10);
}

/** Waits until the start is over and V8 has collected its garbage. */
function settle(): Promise<void> {
  return pause(10_000);
}
