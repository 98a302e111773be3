import { Job } from '@horarium/core';
import { expect } from 'chai';
import { JobOutput } from '#core/job/job-output';
import { serialize } from '#core/resource/serialize';
import { newRow } from '#core/store/table';
import { SchedulingWorld } from '../../support/worlds/scheduling-world.ts';

describe('serialize, given a job', () => {
  it('returns the last 64 KiB of its output, cut between characters', async () => {
    const world = new SchedulingWorld();
    await world.template({});
    await world.schedule();
    const written = new TextEncoder().encode(`x${'€'.repeat(30_000)}`);
    const job = await world.job(1);
    await world.audited.transaction(world.actor, async (tables) => {
      await tables.of(Job).update([{ row: job, set: { started_at: world.time.now } }]);
      const at = world.time.now;
      await tables
        .of(JobOutput)
        .insert([newRow(JobOutput, { job_id: 1, seq: 0, stream: 'stdout', at, data: written })]);
    });
    const [shown] = await serialize((work) => world.audited.read(work), Job, [await world.job(1)], 'item');
    expect(shown?.['stdout']).to.equal('€'.repeat(Math.floor((64 * 1024) / 3)));
  });
});
