import { AgentFleet, onAgents, placement } from '../harness/agents/agent-fleet.ts';
import { MarkingJobs } from '../harness/agents/marking-jobs.ts';
import { openDatabase } from '../harness/databases.ts';
import { median } from '../harness/rounds.ts';
import { addTemplates, ceilToSecond } from '../harness/templates-due.ts';
import type { Report } from '../results.ts';

export const name = 'agents: from kill -9 of an agent until another one runs its job again';
const rounds = 5;
/** In seconds: that of the plugin by default. */
const lease = 10;

/** Measures from the signal until the program of the next attempt runs. */
export async function run(report: Report): Promise<void> {
  await using opened = await openDatabase('SQLite FULL');
  await using fleet = await AgentFleet.start(opened, { agents: rounds + 1, options: { lease } });
  using jobs = new MarkingJobs();
  const agents = new Map<string, Awaited<ReturnType<AgentFleet['startProcess']>>>();
  const start = async (name: string) => void agents.set(name, await fleet.startProcess(name, 1));
  await start('agent-1');
  const delays: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await start(`agent-${round + 2}`);
    const at = ceilToSecond(Date.now() + 1500);
    const fields = { ...onAgents, placement, max_attempts: 2 };
    await addTemplates(opened.store, { count: 1, executor: 'agent', at, fields, ...jobs.program('exec sleep 3600') });
    const first = await jobs.next();
    const name = await agentOf(fleet, first.id);
    const dying = agents.get(name);
    const killedAt = performance.now();
    dying?.program.process.kill('SIGKILL');
    agents.delete(name);
    const second = await jobs.next();
    delays.push(second.at - killedAt);
    await fleet.service.request('POST', '/job/', { id: second.id, state: 'cancelled' });
  }
  report.figure(`lease of ${lease} s, p50`, median(delays) / 1000, 's');
  report.figure('   at most', Math.max(...delays) / 1000, 's', { max: lease + 5 });
}

/** The agent that runs a job. */
async function agentOf({ service }: AgentFleet, job: number): Promise<string> {
  const { worker } = await service.request('GET', `/job/${job}.json`);
  return String(worker).replace('agent:', '');
}
