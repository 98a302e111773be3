import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ServiceWorld, type StoreKind } from '../support/faults/service-world.ts';
import { eventually } from '../support/mocha/eventually.ts';

for (const kind of ['sqlite', 'postgresql'] satisfies StoreKind[])
  describe(`The repetition of a Task by services on ${kind}`, () => {
    it('outlives a host that is killed while it runs: the Task is as it was, and can be repeated', async () => {
      await using world = await ServiceWorld.create(kind);
      const file = (name: string) => join(world.cli.folder, name);
      // Its first attempt fails, the second runs until its host is killed, the third shows its window.
      const script = `if [ -e ${file('mended')} ]; then echo "window $HORARIUM_WINDOW_START"; elif [ -e ${file('slow')} ]; then touch ${file('begun')}; sleep 600; else exit 3; fi`;
      const id = await world.addTemplate('work', ['-c', script], { interval: 'daily', timezone: 'UTC' });
      const { service } = await world.startService();
      const [task] = await world.run('backfill', `${id}`, '--from', '2026-10-01', '--to', '2026-10-01');
      const state = async () => (await world.run('task:get', `${task.id}`)).state;
      await eventually('the Task has failed', async () => (await state()) === 'failed');

      writeFileSync(file('slow'), '');
      const [repeated] = await world.run('task:retry', `${task.id}`);
      await eventually('the repetition runs', () => existsSync(file('begun')));
      service.process.kill('SIGKILL');
      await service.ended;
      await world.startService();
      const job = async () => world.run('job:get', `${repeated.job}`);
      await eventually('the repetition is lost', async () => (await job()).state === 'lost');
      expect(await world.run('task:get', `${task.id}`)).to.include({ state: 'failed', attempts: 2 });

      writeFileSync(file('mended'), '');
      const [again] = await world.run('task:retry', '--template', `${id}`);
      await eventually('the Task is fulfilled late', async () => (await state()) === 'fulfilled_late');
      const { fulfilled_by_job_id, reason } = await world.run('task:get', `${task.id}`);
      expect(fulfilled_by_job_id).to.equal(again.job);
      expect(reason).to.match(/^a repetition succeeded; before, it failed: exit code 3/);
      const output = await world.cli.command(`job:output ${again.job}`);
      expect(output.out).to.equal('window 2026-10-01T00:00:00.000Z\n');
      expect((await world.cli.command('audit:verify')).code).to.equal(0);
    });
  });
