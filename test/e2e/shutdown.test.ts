import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ServiceWorld, type StoreKind } from '../support/faults/service-world.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { TestPostgres } from '../support/store/test-postgres.ts';

/** Ignores SIGTERM and never ends at the first attempt; ends at once at the second one. */
const stubborn = (folder: string) => `
[ "$HORARIUM_ATTEMPT" = 2 ] && exit 0
trap '' TERM
(sleep 1000 &)
timeout 1000 sleep 1000 &
touch '${folder}/begun'
while :; do sleep 1000; done`;

const quickGrace = JSON.stringify({ 'executor-native': { grace: 1 } });

describe('a service that is asked to stop', () => {
  const begin = async (world: ServiceWorld, ...more: readonly string[]) => {
    const { service, url } = await world.startService(...more);
    const template = await world.addDailyTemplate('stubborn', stubborn(world.cli.folder), { max_attempts: 2 });
    await eventually('the job runs', () => existsSync(join(world.cli.folder, 'begun')));
    const living = () => world.countJobProcesses(template);
    await eventually('its grandchildren run', () => living() > 3);
    return { service, url, template, living };
  };

  const handsOver = async (kind: StoreKind) => {
    await using world = await ServiceWorld.create(kind, { HORARIUM_PLUGIN_OPTIONS: quickGrace });
    const { service, template, living } = await begin(world, '--shutdown-grace', '500ms');
    const [, other] = [service.process.kill('SIGTERM'), world.startService()];
    expect(await service.ended).to.equal(0);
    expect((await world.jobs(template))[0]).to.include({ state: 'lost', reason: 'the worker was shut down' });
    await other;
    await eventually(
      'the next attempt is made elsewhere',
      async () => (await world.tasks(template))[0].state === 'fulfilled',
    );
    expect((await world.jobs(template)).map((job) => job.state)).to.deep.equal(['lost', 'succeeded']);
    expect(living()).to.equal(0);
    expect((await world.run('status')).workers).to.have.length(1);
  };

  it('stops jobs that exceed the grace, records them as lost, and another service makes the next attempt at once', async () => {
    await Promise.all([handsOver('sqlite'), handsOver('postgresql')]);
  });

  it('exits at once at a second signal, with every process of its jobs', async () => {
    await using world = await ServiceWorld.create('sqlite', { HORARIUM_LEASE: '2s' });
    const { service, template, living } = await begin(world);
    service.process.kill('SIGINT');
    await eventually('the service drains', () => service.err.includes('stopping:'));
    // A signal that comes sooner counts as the same Ctrl-C.
    await pause(400);
    service.process.kill('SIGINT');
    expect(await service.ended).to.equal(130);
    await eventually('no process of the job lives', () => living() === 0);
    await world.startService();
    await eventually('the next attempt is made', async () => (await world.tasks(template))[0].state === 'fulfilled');
    expect((await world.jobs(template)).map((job) => job.state)).to.deep.equal(['lost', 'succeeded']);
  });

  it('exits while its database is gone, and leaves no process behind', async () => {
    const postgres = new TestPostgres();
    try {
      await using world = await ServiceWorld.create(
        'postgresql',
        { HORARIUM_LEASE: '2s' },
        { server: await postgres.start() },
      );
      const { service, living } = await begin(world, '--shutdown-grace', '500ms');
      await postgres.stop();
      service.process.kill('SIGTERM');
      const code = await service.ended;
      await postgres.start();
      expect(code).to.equal(1);
      expect(service.err).to.match(/^PostgreSQL at 127\.0\.0\.1:\d+ \(database \S+\) does not answer\.$/m);
      expect(service.err).to.not.match(/^ {4}at /m);
      await eventually('no process of the job lives', () => living() === 0);
    } finally {
      await postgres.close();
    }
  });
});
