import { randomUUID } from 'node:crypto';
import { eventually } from '../../support/mocha/eventually.ts';
import { type Attack, NotTried } from '../attack.ts';
import { createWorld } from '../own-target.ts';
import { Target, type Tenant } from '../target.ts';

/** Waits with a file in its working directory, and says where that and its HOME are. */
const victimScript = 'echo "$SECRET" > secret; echo "$PWD $HOME"; exec sleep 600';

/** Tries to reach another job, and prints each thing that it could. */
const spyScript = `
try() { name=$1; shift; if "$@" > /dev/null 2>&1; then echo "$name"; fi; }
try 'list its working directory' ls "$FOLDER"
try 'read a file in it' cat "$FOLDER/secret"
try 'list its HOME' ls "$VICTIM_HOME"
try 'read its environment' cat "/proc/$VICTIM_PID/environ"
try 'open its memory' dd if="/proc/$VICTIM_PID/mem" of=/dev/null count=0
try 'list its open files' ls "/proc/$VICTIM_PID/fd"
try 'enter its working directory by its process' ls "/proc/$VICTIM_PID/cwd/"
try 'signal it' kill -CONT "$VICTIM_PID"
`;

/**
 * Lets a job of one company try to reach a job of another that runs meanwhile.
 * @returns what it could do.
 */
export async function reachNeighbour(target: Target, victim: Tenant, spy: Tenant): Promise<string[]> {
  const variables = (...names: readonly string[]) => ({
    environment: Object.fromEntries(names.map((name) => [name, { type: 'text' }])),
  });
  const secret = { environment: { SECRET: randomUUID() } };
  const waiting = await target.addTemplate(victim, await target.addShellApp(victimScript, variables('SECRET')), secret);
  const { id } = await victim.operator.save('job', { runtemplate_id: waiting });
  try {
    let job = { pid: null, stdout: '' };
    await eventually('the other job waits', async () => {
      ({ json: job } = await victim.operator.get(`/job/${id}.json`));
      return job.pid !== null && job.stdout?.includes('\n');
    });
    const [FOLDER = '', VICTIM_HOME = ''] = job.stdout.trim().split(' ');
    const environment = { FOLDER, VICTIM_HOME, VICTIM_PID: String(job.pid) };
    const app = await target.addShellApp(spyScript, variables(...Object.keys(environment)));
    const { stdout, exit_code } = await target.run(spy, await target.addTemplate(spy, app, { environment }));
    if (exit_code !== 0) throw new Error(`The job that should reach another ended with ${exit_code}: ${stdout}`);
    return stdout.split('\n').filter(Boolean);
  } finally {
    await victim.operator.post('/job/', { id, state: 'cancelled' });
    await victim.operator.endOfJob(id);
  }
}

export const reachOtherCompanies: Attack = {
  claim: "A job of one company cannot read the files or memory of another's, where companies have users of their own",
  attempt: async (own) => {
    if (process.getuid?.() !== 0) throw new NotTried('only root can start jobs as other users');
    // No user of a usual machine has these ids, and no other attack.
    const [one, other] = [0, 1].map((each) => String(1_800_000_000 + 2 * process.pid + each));
    await using world = await createWorld(own, { HORARIUM_JOB_USERS: `${one},${other}` });
    const { url } = await world.startService();
    const { token } = await world.run('token:generate', '--user', 'admin');
    const target = new Target(url, token, world);
    const [victim, spy] = [await target.addTenant({ run_as: one }), await target.addTenant({ run_as: other })];
    const reached = await reachNeighbour(target, victim, spy);
    return reached.length === 0 ? null : `a job could ${reached.join(', ')} of another company's`;
  },
};

export const neighbourAttacks = [reachOtherCompanies];
