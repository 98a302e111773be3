import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Job, type JobRow } from '@horarium/core';
import { AgentFleet, onAgents } from '../harness/agents/agent-fleet.ts';
import { type BenchDatabase, openDatabase } from '../harness/databases.ts';
import { childrenOf, ProcessorTime } from '../harness/processor-time.ts';
import type { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'agents: output of jobs through one host, as fast as it is taken';
const megabytes = 20;
const atOnce = 5;
const settings = { HORARIUM_MAX_OUTPUT: '64MiB' };
const options = { max_output: 64 * 1024 * 1024 };
const script = `yes 'a line of output, as a backup or an export writes it: one hundred bytes, no more and no less, a l' | head -c ${megabytes}000000`;

/** Measures how fast the output of one job reaches a follower, and that of five at once the store. */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) {
    await using opened = await openDatabase(database);
    await using fleet = await AgentFleet.start(opened, { agents: 1, options, settings });
    const { program } = await fleet.startProcess('agent-1', atOnce, settings);
    const agent = program.process.pid as number;
    const { service } = fleet;
    const runtemplate_id = await addTemplate(service);
    const job = async () => (await service.request('POST', '/job/', { runtemplate_id }))['id'] as number;
    const begin = performance.now();
    const followed = await follow(service, await job());
    report.figure(`${database}, one job, to a follower`, followed / 1e6 / ((performance.now() - begin) / 1000), 'MB/s');
    const used = new ProcessorTime({
      'the host': () => [service.pid],
      'the agent and its launcher': () => [agent, ...childrenOf(agent)],
      'nats-server': () => [fleet.nats.server.pid],
      ...(database === 'PostgreSQL' && { PostgreSQL: () => opened.processes() }),
    });
    const rate = await used.measure(() => store(opened, job));
    report.figure(`${database}, ${atOnce} jobs at once, into the store`, rate, 'MB/s', { min: 10 });
    for (const [who, spent] of Object.entries(used.milliseconds))
      report.figure(`   processor time of a MB: ${who}`, spent / (atOnce * megabytes), 'ms');
    report.figure('   all cores in use', 100 * used.utilization, '%');
  }
}

async function addTemplate(service: Service): Promise<unknown> {
  const app = await service.request('POST', '/app/', {
    name: 'lines',
    executable: '/bin/sh',
    arguments: ['-c', script],
  });
  const company = await service.request('POST', '/company/', { code: 'bench', name: 'bench' });
  const owners = { app_id: app['id'], company_id: company['id'] };
  const fields = { name: 'lines', interval: 'none', overlap: 'allow', ...onAgents, ...owners };
  return (await service.request('POST', '/runtemplate/', fields))['id'];
}

/** Follows the output of a job until its end. @returns how many bytes of it came. */
function follow(service: Service, job: number): Promise<number> {
  const headers = { authorization: service.authorization.bearer };
  return new Promise((resolve, reject) => {
    get(`${service.url}/job/${job}/output.json?follow=true`, { headers }, (response) => {
      let rest = '';
      let size = 0;
      response.setEncoding('utf8').on('data', (piece: string) => {
        const lines = (rest + piece).split('\n');
        rest = lines.pop() as string;
        for (const line of lines)
          if (line.startsWith('data: ')) size += (JSON.parse(line.slice(6)) as { text?: string }).text?.length ?? 0;
      });
      response.on('error', reject).on('end', () => resolve(size));
    }).on('error', reject);
  });
}

/** Runs jobs at once until the output of all of them is stored. @returns megabytes a second. */
async function store(database: BenchDatabase, job: () => Promise<number>): Promise<number> {
  const begin = performance.now();
  const ids = await Promise.all(Array.from({ length: atOnce }, job));
  while ((await stateCount(database, ids, 'succeeded')) < atOnce) {
    if ((await stateCount(database, ids, 'failed')) > 0) throw new Error('A job failed.');
    await pause(50);
  }
  return (atOnce * megabytes) / ((performance.now() - begin) / 1000);
}

function stateCount({ store }: BenchDatabase, ids: readonly number[], state: JobRow['state']): Promise<number> {
  const where = [['id', 'in', ids] as const, ['state', '=', state] as const];
  return store.transaction((tables) => tables.of(Job).count(where), { readOnly: true });
}
