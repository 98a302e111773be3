import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/mocha/eventually.ts';
import { worldOf } from '../own-target.ts';
import type { Tenant } from '../target.ts';
import type { FleetTarget, HonestAgent } from './fleet-target.ts';

/** Starts a job on an agent that runs until it is let go, and then ends with exit code 7. */
export async function startWaitingJob(fleet: FleetTarget, tenant: Tenant, agent: HonestAgent) {
  const go = join(agent.process.folder, randomUUID());
  const script = `echo begun; until [ -e ${go} ]; do sleep 0.05; done; echo done; exit 7`;
  const job = await fleet.addJob(tenant, agent.name, script);
  await eventually('the job runs', async () => {
    const { json } = await tenant.operator.get(`/job/${job}.json`);
    return json.stdout === 'begun\n';
  });
  return {
    job,
    /** Lets it go on. @returns the job when it has ended. */
    end() {
      writeFileSync(go, '');
      return tenant.operator.endOfJob(job);
    },
  };
}

/** Returns the claim that gave an agent a job, which no attacker knows. */
export async function claimOf({ target }: FleetTarget, job: number): Promise<string> {
  const [lease] = await worldOf(target).execute(`select claim from horarium_agent_lease where job_id = ${job}`);
  return lease?.['claim'] as string;
}
