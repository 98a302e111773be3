import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceWorld } from '../../support/faults/service-world.ts';
import { checkedFetch } from '../../support/http/checked-fetch.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { descendantProcesses } from '../../support/program/processes.ts';
import type { SpawnedProgram } from '../../support/program/spawned-program.ts';
import type { Attack } from '../attack.ts';
import { createWorld } from '../own-target.ts';

const shortLease = { HORARIUM_LEASE: '2s' };
/** The service, with a vault that kills the process when it decrypts `poison`. */
const deadlyProgram = join(import.meta.dirname, '../../support/faults/deadly-service.js');

const oversizedTemplate: Attack = {
  claim: 'A template that is too large to build fails its jobs, and keeps no service from starting again',
  attempt: async (target) => {
    await using world = await createWorld(target, shortLease);
    const everySecond = { interval: 'custom', cron: '* * * * * *', overlap: 'allow' };
    const template = await world.addTemplate('poison', ['-c', 'true'], everySecond);
    const { app_id } = await world.run('runtemplate:get', String(template));
    const declared = JSON.stringify({ PIECE: {}, WHOLE: {} });
    await world.run('app:save', '--id', String(app_id), '--set', `environment=${declared}`);
    const environment = JSON.stringify({ PIECE: 'x'.repeat(30_000), WHOLE: '{PIECE}'.repeat(4000) });
    await world.run('runtemplate:save', '--id', String(template), '--set', `environment=${environment}`);
    for (let start = 1; start <= 2; start += 1) {
      const { service, url } = await world.startService();
      const before = (await failedJobs(world, template)).length;
      const [job] = await eventually('a further job fails', async () => {
        const failed = await failedJobs(world, template);
        return failed.length > before && failed;
      });
      if (!/WHOLE/.test(job.reason)) return `a job failed because ${job.reason}`;
      const { status } = await checkedFetch(`${url}/ping.json`);
      if (status !== 200) return `a ping got ${status} after start ${start}`;
      await kill(service);
    }
    return null;
  },
};

const deadlyJob: Attack = {
  claim: 'A job over which four workers have died ends failed, and the next start survives it',
  attempt: async (target) => {
    await using world = await createWorld(target, shortLease, { program: deadlyProgram });
    const template = await world.addDailyTemplate('deadly', 'true', { max_attempts: 100 });
    const { app_id } = await world.run('runtemplate:get', String(template));
    const environment = JSON.stringify({ KEY: { type: 'secret', default: 'poison' } });
    await world.run('app:save', '--id', String(app_id), '--set', `environment=${environment}`);
    writeFileSync(join(world.cli.folder, 'deadly'), '');
    for (let start = 1; start <= 4; start += 1) await world.spawnService().ended;
    const survivor = world.spawnService();
    const ended = survivor.ended.then((code) => `start 5 ended with ${code}`);
    const failed = eventually('the job fails', async () => (await failedJobs(world, template))[0]);
    const job = await Promise.race([ended, failed]);
    if (typeof job === 'string') return job;
    return /3 workers died while they prepared it alone/.test(job.reason)
      ? null
      : `the job failed because ${job.reason}`;
  },
};

const killedService: Attack = {
  claim: 'No process of a job, nor one that has left its session, survives kill -9 of the service and its launcher',
  attempt: async (target) => {
    await using world = await createWorld(target, shortLease);
    const script = "trap '' TERM HUP; setsid sh -c 'setsid sleep 600 & exit' & sleep 600";
    let { service } = await world.startService();
    for (const victims of ['the service', 'the service and its launcher'] as const) {
      const template = await world.addDailyTemplate(victims.replaceAll(' ', '-'), script);
      await eventually('the job and its daemon run', () => world.countJobProcesses(template) >= 3);
      if (victims !== 'the service') killLaunchers(service);
      await kill(service);
      // Where nothing contains jobs, the handbook says, they run on until the next start.
      ({ service } = await world.startService());
      const isGone = async () => world.countJobProcesses(template) === 0;
      await eventually(`kill -9 of ${victims} leaves no process of the job`, isGone);
    }
    return null;
  },
};

// biome-ignore lint/suspicious/noExplicitAny: the JSON of jobs.
async function failedJobs(world: ServiceWorld, template: number): Promise<any[]> {
  return (await world.jobs(template)).filter(({ state }) => state === 'failed');
}

async function kill({ process: child, ended }: SpawnedProgram): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

function killLaunchers({ process: { pid } }: SpawnedProgram): void {
  for (const child of descendantProcesses(pid as number))
    if (/launcher/.test(child.cmdline)) process.kill(child.pid, 'SIGKILL');
}

export const restartAttacks = [oversizedTemplate, deadlyJob, killedService];
