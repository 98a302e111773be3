import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { ServiceWorld } from '../support/faults/service-world.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';

/** The number of connections that requests share. */
const connections = 10;

describe('a service on PostgreSQL whose requests wait for a lock that somebody else holds', () => {
  it('renews its leases, so that no job is lost, and answers the requests when the lock is released', async () => {
    await using world = await ServiceWorld.create('postgresql', { HORARIUM_LEASE: '9s' });
    const { folder } = world.cli;
    const { url } = await world.startService();
    const { token } = await world.run('token:generate', '--user', 'admin');
    const script = `touch '${folder}/begun'; until [ -e '${folder}/go' ]; do sleep 0.05; done; echo done`;
    const template = await world.addDailyTemplate('patient', script);
    await eventually('the job runs', () => existsSync(join(folder, 'begun')));
    const client = new pg.Client({ connectionString: world.cli.environment['HORARIUM_DATABASE_URL'] as string });
    // The database is dropped while it is connected, where the test has failed.
    client.on('error', () => undefined);
    await client.connect();
    const read = async (sql: string) => (await client.query(sql)).rows;
    await client.query('begin; lock table horarium_topic in access exclusive mode');
    const list = () => checkedFetch(`${url}/topics.json`, { headers: { authorization: `Bearer ${token}` } });
    const requests = Promise.all(Array.from({ length: connections }, list));
    await eventually('the requests hold all connections that they have', async () => {
      const waiting = `select 1 from pg_locks where not granted and relation = 'horarium_topic'::regclass`;
      return (await read(waiting)).length === connections;
    });
    const leasedUntil = async () => (await read('select max(lease_until) as at from horarium_worker_lease'))[0].at;
    const before = await leasedUntil();
    // Longer than the lease, so that a worker that cannot renew it has lost it.
    await eventually('the lease is renewed', async () => (await leasedUntil()) - before > 10_000);
    await client.query('commit');
    await client.end();
    for (const { status } of await requests) expect(status).to.equal(200);
    writeFileSync(join(folder, 'go'), '');
    const [job] = await eventually('the job ended', async () => {
      const jobs = await world.jobs(template);
      return jobs[0].finished_at !== null && jobs;
    });
    expect(job).to.include({ state: 'succeeded', attempt: 1 });
  });
});
