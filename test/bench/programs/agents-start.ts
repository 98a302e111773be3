import { setTimeout as pause } from 'node:timers/promises';
import { AgentFleet, onAgents } from '../harness/agents/agent-fleet.ts';
import { MarkingJobs } from '../harness/agents/marking-jobs.ts';
import { openDatabase } from '../harness/databases.ts';
import { quantile } from '../harness/rounds.ts';
import type { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'agents: from POST /job/ until the program of the job runs, beside a job of the service itself';
const samples = 100;
const warmUps = 20;

/** Measures jobs one at a time, in turns on an agent and in the service, so that other load on the machine affects both equally. */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) {
    await using opened = await openDatabase(database);
    await using fleet = await AgentFleet.start(opened, { agents: 1 });
    await fleet.startProcess('agent-1', 8);
    using jobs = new MarkingJobs();
    const templates = await addTemplates(fleet.service, jobs);
    const delays = { agent: [] as number[], service: [] as number[] };
    for (let sample = 0; sample < warmUps + samples; sample++)
      for (const where of ['agent', 'service'] as const) {
        const delay = await delayOf(fleet.service, jobs, templates[where]);
        if (sample >= warmUps) delays[where].push(delay);
      }
    report.figure(`${database}, on an agent, p50`, quantile(delays.agent, 0.5), 'ms');
    report.figure('   p95', quantile(delays.agent, 0.95), 'ms');
    report.figure(`${database}, in the service, p50`, quantile(delays.service, 0.5), 'ms');
    report.figure('   p95', quantile(delays.service, 0.95), 'ms');
  }
}

async function addTemplates(service: Service, jobs: MarkingJobs) {
  const app = await service.request('POST', '/app/', { name: 'mark', ...jobs.program() });
  const company = await service.request('POST', '/company/', { code: 'bench', name: 'bench' });
  const common = { app_id: app['id'], company_id: company['id'], interval: 'none', overlap: 'allow' };
  const add = async (fields: object) =>
    (await service.request('POST', '/runtemplate/', { ...common, ...fields }))['id'];
  return { agent: await add({ name: 'agent', ...onAgents }), service: await add({ name: 'service' }) };
}

async function delayOf(service: Service, jobs: MarkingJobs, runtemplate_id: unknown): Promise<number> {
  const begin = performance.now();
  const [, begun] = await Promise.all([service.request('POST', '/job/', { runtemplate_id }), jobs.next()]);
  // The job ends meanwhile, and the moment is another one of the periods that hosts and agents have.
  await pause(20 + Math.random() * 60);
  return begun.at - begin;
}
