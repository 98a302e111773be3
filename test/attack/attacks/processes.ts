import { randomInt } from 'node:crypto';
import { eventually } from '../../support/mocha/eventually.ts';
import { livingProcesses } from '../../support/program/processes.ts';
import { type Attack, NotTried } from '../attack.ts';

const daemons: Attack = {
  claim: 'A process that leaves the session of its job ends with the job',
  attempt: async (target) => {
    if (!/^https?:\/\/(localhost|127\.)/.test(target.url)) throw new NotTried('the service runs on another machine');
    // A duration that nothing else on the machine sleeps for marks the process.
    const duration = `86${randomInt(1000, 10_000)}.${randomInt(1000, 10_000)}`;
    const isAlive = () => livingProcesses().some(({ command }) => command.trim() === `sleep ${duration}`);
    const tenant = await target.addTenant();
    const script = `setsid sh -c 'setsid sleep ${duration} & exit' & wait; exec sleep 600`;
    const template = await target.addTemplate(tenant, await target.addShellApp(script));
    const { id } = await tenant.operator.save('job', { runtemplate_id: template });
    await eventually('the daemon runs', isAlive);
    await tenant.operator.post('/job/', { id, state: 'cancelled' });
    await tenant.operator.endOfJob(id);
    return isAlive() ? `sleep ${duration} survived the cancellation of its job` : null;
  },
};

export const processAttacks = [daemons];
