import { expect } from 'chai';
import { ServiceWorld, type StoreKind } from '../support/faults/service-world.ts';
import { eventually } from '../support/mocha/eventually.ts';

const everySecond = { interval: 'custom', cron: '* * * * * *', catch_up: 'all' } as const;

for (const kind of ['sqlite', 'postgresql'] satisfies StoreKind[])
  describe(`A pause of services on ${kind}`, () => {
    it('holds all starts until its end, also when the host that it was made on is killed meanwhile', async () => {
      await using world = await ServiceWorld.create(kind);
      const id = await world.addTemplate('work', ['-c', 'true'], { ...everySecond, overlap: 'allow' });
      const other = await world.addTemplate('other', ['-c', 'true'], everySecond);
      const { service } = await world.startService();
      const fulfilled = async (template: number) =>
        (await world.tasks(template)).filter(({ state }) => state === 'fulfilled').length;
      await eventually('two Tasks are fulfilled', async () => (await fulfilled(id)) >= 2);
      const pause = await world.run('pause', '--for', '6s', '--template', String(id), '--reason', 'test');
      const begun = Date.now();
      service.process.kill('SIGKILL');
      await service.ended;
      await world.startService();
      const until = Date.parse(pause.until);
      await eventually('the pause has ended', async () => (await world.run('pause:get', '1')).ended_at !== null);
      const jobs = async () => (await world.jobs(id)).map(({ started_at }) => Date.parse(started_at));
      await eventually('a job starts afterwards', async () => (await jobs()).some((at) => at >= until));
      expect((await jobs()).filter((at) => at > begun && at < until)).to.deep.equal([]);
      const cancelled = (await world.tasks(id)).filter(({ state }) => state === 'cancelled');
      expect(cancelled).not.to.deep.equal([]);
      for (const { reason } of cancelled) expect(reason).to.match(/^paused by .* until .*Z: test$/);
      const goesOn = async () => (await world.jobs(other)).some((job) => Date.parse(job.started_at) > begun);
      await eventually('the other template goes on', goesOn);
    });

    it('lets jobs wait that events request', async () => {
      await using world = await ServiceWorld.create(kind);
      const id = await world.addTemplate('chained', ['-c', 'true'], { interval: 'none', overlap: 'allow' });
      await world.run('pause', '--until', 'resumed', '--template', String(id), '--reason', 'test');
      const source = await world.addTemplate('source', ['-c', 'true'], everySecond);
      const [follows, runs] = [`--runtemplate-source-id=${source}`, `--runtemplate-id=${id}`];
      await world.run('eventrule:save', follows, '--event=succeeded', runs);
      await world.startService();
      await eventually('an event requests a job', async () => (await world.jobs(id)).length > 0);
      expect((await world.jobs(id)).filter(({ started_at }) => started_at !== null)).to.deep.equal([]);
      await world.run('resume', '--template', String(id));
      await eventually('it runs', async () => (await world.jobs(id)).some(({ state }) => state === 'succeeded'));
    });

    it('is made of a maintenance window by a running service, and dropped with it', async () => {
      await using world = await ServiceWorld.create(kind);
      const id = await world.addTemplate('work', ['-c', 'true'], { ...everySecond, overlap: 'allow' });
      await world.startService();
      const daily = JSON.stringify([{ date: '2020-01-01', to: '2046-01-01' }]);
      await world.run('calendar:save', '--name', 'all days', '--dates', daily);
      // It begins within three minutes, so that its pause is made at once, also over midnight.
      const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
      const times = ['--start-time', at(2), '--end-time', at(60), '--timezone', 'UTC', '--catch-up', 'latest'];
      const of = ['--name', 'Patches', '--runtemplate-id', String(id), '--calendar-id', '1'];
      const window = await world.run('maintenancewindow:save', ...of, ...times);
      await eventually('its pause is made', async () => (await world.run('pause:list')).length > 0);
      const pause = await world.run('pause:get', '1');
      expect(pause).to.deep.include({
        maintenance_window_id: window.id,
        starts_at: window.next_starts_at,
        until: window.next_until,
        reason: 'Patches',
        catch_up: 'latest',
      });
      const planned = await world.run('maintenancewindow:get', '1');
      expect(Date.parse(planned.next_starts_at) - Date.parse(window.next_starts_at)).to.equal(24 * 3_600_000);
      await world.run('maintenancewindow:save', '--id', '1', '--active', 'false');
      expect(await world.run('pause:list')).to.deep.equal([]);
    });

    it('ends for running services when a person resumes', async () => {
      await using world = await ServiceWorld.create(kind);
      const id = await world.addTemplate('work', ['-c', 'true'], { ...everySecond, overlap: 'allow' });
      await world.run('pause', '--until', 'resumed', '--all', '--reason', 'test');
      await world.startService();
      await eventually('a Task is cancelled', async () =>
        (await world.tasks(id)).some(({ state }) => state === 'cancelled'),
      );
      expect((await world.jobs(id)).filter(({ started_at }) => started_at !== null)).to.deep.equal([]);
      await world.run('resume', '--all');
      await eventually('a Task is fulfilled', async () =>
        (await world.tasks(id)).some(({ state }) => state === 'fulfilled'),
      );
    });
  });
