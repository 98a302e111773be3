import { eventually } from '../../support/mocha/eventually.ts';
import type { Attack } from '../attack.ts';

const sleepers = 40;

const sleepingJobs: Attack = {
  claim: 'Sleeping jobs of one company do not keep those of another from starting',
  attempt: async (target) => {
    const [sleepy, quiet] = [await target.addTenant(), await target.addTenant()];
    const sleeping = await target.addTemplate(sleepy, await target.addShellApp('exec sleep 600'));
    const working = await target.addTemplate(quiet, await target.addShellApp('true'));
    const jobs: number[] = [];
    try {
      for (let count = 0; count < sleepers; count++) {
        const { status, json } = await sleepy.operator.post('/job/', { runtemplate_id: sleeping });
        if (status === 201) jobs.push(json.id);
      }
      await eventually('the sleeping jobs have started', async () => {
        const { json } = await sleepy.operator.get('/jobs.json?state=running');
        return json.length > 0;
      });
      const { id } = await quiet.operator.save('job', { runtemplate_id: working });
      await quiet.operator.endOfJob(id);
      return null;
    } catch (error) {
      return (error as Error).message;
    } finally {
      for (const id of jobs) await sleepy.operator.post('/job/', { id, state: 'cancelled' });
    }
  },
};

export const slotAttacks = [sleepingJobs];
