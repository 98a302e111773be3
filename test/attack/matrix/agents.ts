import { natsServer } from '../../support/nats/test-nats.ts';
import type { Attack } from '../attack.ts';
import { agentBoundAttacks } from '../attacks/agents/bounds.ts';
import { agentClaimAttacks } from '../attacks/agents/claims.ts';
import { agentForgeryAttacks } from '../attacks/agents/forgeries.ts';
import { fleetOf } from '../fleet/fleet-target.ts';
import { ended, printed } from '../fleet/taken-agent.ts';
import type { Proof, Proofs } from './promise.ts';

/** Shows that an attack fails. */
const held =
  ({ attempt }: Attack): Proof =>
  ({ target }) =>
    attempt(target);

const [foreignJobs] = agentClaimAttacks;
const [otherSecrets, otherReports, orders] = agentForgeryAttacks;
const [artifacts] = agentBoundAttacks;

/** Lets an agent that is taken over claim a job with a secret, print a lie and report success. */
const liesOfItsOwn: Proof = async ({ target }) => {
  const fleet = await fleetOf(target, 'with permissions');
  const tenant = await fleet.target.addTenant();
  await using taken = await fleet.takeAgent();
  const environment = { SECRET: 'the secret of an agent' };
  const job = await fleet.addJob(tenant, taken.name, 'exit 1', { environment });
  const assigned = await taken.claim();
  if (assigned.attempt.environment['SECRET'] !== environment.SECRET) return 'it has not got the secret of its job';
  taken.report(assigned, printed('a lie, and the secret of an agent\n'));
  taken.report(assigned, ended({ exitCode: 0 }));
  const { state, stdout } = await tenant.operator.endOfJob(job);
  return state === 'succeeded' && stdout === 'a lie, and ••••••••\n' ? null : `the job ${state}: ${stdout}`;
};

/** Proofs that take a NATS server. */
function withNats(proofs: Proofs): Proofs {
  return natsServer === undefined ? {} : proofs;
}

/** What SECURITY.md says of agents, in each of its chapters. */
export const agentProofs = {
  may: withNats({ 'Running the jobs of its pools': liesOfItsOwn }),
  mayNot: withNats({
    'Jobs of other pools': held(foreignJobs),
    'what other agents are told and report': held(otherSecrets),
    'acting as another agent': held(otherReports),
    'or as a host': held(orders),
  }),
  separation: {
    records: withNats({ 'its agents then get no jobs of others': held(foreignJobs) }),
    processes: {},
    resources: withNats({ 'Stored output and artifacts are bounded': held(artifacts) }),
  },
  reach: withNats({ 'lie about its own attempts': liesOfItsOwn }),
};
