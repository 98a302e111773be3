import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { ServiceWorld, type StoreKind } from '../support/faults/service-world.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { isStopped } from '../support/program/processes.ts';

const kinds: readonly StoreKind[] = ['sqlite', 'postgresql'];

/**
 * The first attempt starts children and grandchildren that heed no SIGTERM and never ends; a later one tells how many
 * processes of the first it finds.
 */
const family = (folder: string) => `
if [ "$HORARIUM_ATTEMPT" = 1 ]; then
  trap '' TERM
  (sleep 1000 &)
  timeout 1000 sleep 1000 &
  sh -c 'sleep 1000; true' &
  echo "$HORARIUM_JOB_ID" >'${folder}/first'
  wait
fi
ours=$(grep -lzx "HORARIUM_COMPANY_CODE=$HORARIUM_COMPANY_CODE" /proc/[0-9]*/environ 2>/dev/null)
grep -lzx "HORARIUM_JOB_ID=$(cat '${folder}/first')" $ours 2>/dev/null | wc -l`;

describe('a job with grandchildren whose service is killed', () => {
  const check = async (kind: StoreKind, settings: Readonly<Record<string, string>>, standby: boolean) => {
    await using world = await ServiceWorld.create(kind, settings);
    const { folder } = world.cli;
    const { service } = await world.startService();
    if (standby) await world.startService('--workers', '0');
    const template = await world.addDailyTemplate('family', family(folder), { max_attempts: 2 });
    await eventually(
      'the job runs',
      () => existsSync(join(folder, 'first')) && readFileSync(join(folder, 'first'), 'utf8'),
    );
    await eventually('its grandchildren run', () => world.countJobProcesses(template) > 4);
    service.process.kill('SIGKILL');
    await world.startService();
    const second = await eventually('the second attempt ended', async () =>
      (await world.jobs(template)).find((job) => job.attempt === 2 && job.finished_at !== null),
    );
    expect(await world.run('job:get', String(second.id))).to.include({ state: 'succeeded', stdout: '0\n' });
    const [lost] = await world.jobs(template);
    expect(lost).to.include({ state: 'lost' });
    expect(lost.reason).to.match(/^its worker .* died: the lease ran out$/);
    expect(Date.parse(second.started_at)).to.be.at.least(Date.parse(lost.finished_at));
    const [task] = await world.tasks(template);
    expect(task).to.include({ state: 'fulfilled', attempts: 2, fulfilled_by_job_id: second.id });
  };

  it('leaves no process behind when its next attempt starts', async () => {
    await Promise.all([check('sqlite', {}, false), check('postgresql', { HORARIUM_LEASE: '3s' }, true)]);
  });
});

describe('a service that is paused for longer than its lease', () => {
  /** A script whose first attempt succeeds while its service is paused; the second attempt succeeds later. */
  const script = (folder: string) => `echo "$HORARIUM_JOB_ID" >>'${folder}/begun'
[ "$HORARIUM_ATTEMPT" = 2 ] && { echo second; exit 0; }
sleep 1; echo first; echo "$HORARIUM_JOB_ID" >'${folder}/done'`;

  const check = async (kind: StoreKind) => {
    await using world = await ServiceWorld.create(kind, { HORARIUM_LEASE: '8s' });
    const { folder } = world.cli;
    const { service: paused } = await world.startService();
    const template = await world.addDailyTemplate('paused', script(folder), { max_attempts: 3 });
    await eventually('the job runs', () => existsSync(join(folder, 'begun')));
    // The service is paused while it has no open transaction, which would lock the SQLite file for the other process.
    await (await world.openStore()).transaction(async () => {
      paused.process.kill('SIGSTOP');
      await eventually('it has stopped', () => isStopped(paused.process.pid as number));
    });
    await world.startService();
    await eventually('the first attempt ended', () => existsSync(join(folder, 'done')));
    const retried = await eventually('the second attempt ended', async () =>
      (await world.jobs(template)).find((job) => job.attempt === 2 && job.finished_at !== null),
    );
    const before = await world.tasks(template);
    expect(before[0]).to.include({ state: 'fulfilled', attempts: 2, fulfilled_by_job_id: retried.id });
    paused.process.kill('SIGCONT');
    await eventually('it noticed', () => paused.log.some((line) => /lease/.test(String(line['msg']))));
    const [first, second, ...more] = await world.jobs(template);
    expect(first).to.include({ state: 'lost', exit_code: null });
    expect(first.reason).to.match(/died: the lease ran out$/);
    expect(second).to.deep.equal(retried);
    expect(more).to.deep.equal([]);
    expect(await world.tasks(template)).to.deep.equal(before);
    const status = await world.run('status');
    await eventually('it takes jobs again', async () => (await world.run('status')).workers.length === 2);
    expect(status.database).to.equal(kind);
  };

  it('blocks no other service by the locks of its open transaction on PostgreSQL', async () => {
    await using world = await ServiceWorld.create('postgresql');
    const { folder } = world.cli;
    const { service: paused } = await world.startService();
    const script = `touch '${folder}/begun'; [ "$HORARIUM_ATTEMPT" = 2 ] || until [ -e '${folder}/go' ]; do sleep 0.05; done`;
    const template = await world.addDailyTemplate('locked', script, { max_attempts: 2 });
    await eventually('the job runs', () => existsSync(join(folder, 'begun')));
    const client = new pg.Client({ connectionString: world.cli.environment['HORARIUM_DATABASE_URL'] as string });
    // The database is dropped while it is connected, where the test has failed.
    client.on('error', () => undefined);
    await client.connect();
    // The end of the job is written under its template's lock, and is held up here until the writer sleeps.
    await client.query('begin');
    await client.query('lock table horarium_job in share mode');
    writeFileSync(join(folder, 'go'), '');
    await eventually('it waits', async () => {
      const waiting = `select 1 from pg_stat_activity where application_name = 'horarium' and wait_event_type = 'Lock' and datname = current_database()`;
      return (await client.query(waiting)).rows.length > 0;
    });
    paused.process.kill('SIGSTOP');
    await client.query('commit');
    await client.end();
    await world.startService();
    await eventually('the job is lost', async () => (await world.jobs(template))[0].state === 'lost');
    await eventually('the task is fulfilled', async () => (await world.tasks(template))[0].state === 'fulfilled');
    paused.process.kill('SIGCONT');
    await eventually('it noticed', () => paused.log.some((line) => /lease/.test(String(line['msg']))));
    expect(paused.log.filter((line) => 'err' in line)).to.deep.equal([]);
    await eventually('it takes jobs again', async () => (await world.run('status')).workers.length === 2);
  });

  it('cannot report its job, whose next attempt counts, and takes jobs again', async () => {
    await Promise.all(kinds.map(check));
  });
});
