import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ServiceWorld, type StoreKind } from '../support/faults/service-world.ts';
import { eventually } from '../support/mocha/eventually.ts';

const kinds: readonly StoreKind[] = ['sqlite', 'postgresql'];
const program = join(import.meta.dirname, '../support/faults/deadly-service.js');
const reason = '3 workers died while they prepared it alone';

describe('a job that kills every service that prepares it', () => {
  const check = async (kind: StoreKind) => {
    await using world = await ServiceWorld.create(kind, { HORARIUM_LEASE: '2s' }, { program });
    const harmless = await world.addDailyTemplate('harmless', 'echo done', { max_attempts: 4 });
    const deadly = await world.addDailyTemplate('deadly', 'echo "$KEY"', { max_attempts: 100 });
    const { app_id } = await world.run('runtemplate:get', String(deadly));
    const environment = JSON.stringify({ KEY: { type: 'secret', default: 'poison' } });
    await world.run('app:save', '--id', String(app_id), '--set', `environment=${environment}`);
    writeFileSync(join(world.cli.folder, 'deadly'), '');
    // The first does not count, because it prepared the other job as well.
    for (let start = 1; start <= 4; start += 1) expect(await world.spawnService().ended).to.equal('SIGKILL');
    const survivor = world.spawnService();
    const [job] = await eventually('the job fails', async () => {
      const jobs = await world.jobs(deadly);
      return jobs[0].state === 'failed' && jobs;
    });
    expect((await world.tasks(deadly))[0]).to.include({ state: 'failed', attempts: 1 });
    expect(job).to.include({ reason, exit_code: null, command: null });
    const isFulfilled = async () => (await world.tasks(harmless))[0].state === 'fulfilled';
    await eventually('the other Task is fulfilled', isFulfilled);
    survivor.process.kill('SIGTERM');
    expect([await survivor.ended, survivor.loggedErrors]).to.deep.equal([0, []]);
  };

  it('fails at the fifth start, on SQLite and PostgreSQL, and other Tasks are fulfilled', async () => {
    await Promise.all(kinds.map(check));
  });
});
