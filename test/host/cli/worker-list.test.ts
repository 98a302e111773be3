import { WorkerLease } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { writePresence } from '#core/worker/lease/agent-presence';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import { changeStore } from '../../support/program/doctor.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

for (const { database, openCli } of cliDatabases)
  describe(`worker:list on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
    });
    after(() => cli[Symbol.dispose]());

    it('lists processes of the service and agents, each with the name that the records of its jobs have', async () => {
      expect((await cli.command('worker:list')).out).to.equal('(none)\n');
      expect((await cli.command('status')).out).not.to.match(/agents|unserved/);
      await changeStore(cli, (store) =>
        store.transaction(async (tables) => {
          const now = await tables.now();
          const lease = { host: 'host-a', pid: 17, started_at: now, capacity: 4 };
          const leases = [
            { name: 'host-a:17:x', lease_until: now + 60_000 },
            { name: 'host-a:18:y', lease_until: now - 1 },
            { name: 'host-a:19:z', lease_until: now - 60_000, lost_at: now },
          ];
          await tables.of(WorkerLease).insert(leases.map((each) => newRow(WorkerLease, { ...lease, ...each })));
          const agent = { pools: { gpu: null, cpu: [1] }, labels: { arch: 'arm64' }, executors: ['native'], slots: 2 };
          await writePresence(tables, [{ ...agent, agent: 'gpu1', version: '0.1.0', alive_until: now + 60_000 }]);
        }),
      );
      const { json } = await cli.command('worker:list --format json');
      const process = { slots: 4, used_slots: 0, pools: [], labels: {}, version: null };
      expect(json.map(({ until: _until, ...row }: { until: string }) => row)).to.deep.equal([
        { name: 'host-a:17:x', state: 'alive', ...process },
        { name: 'host-a:18:y', state: 'silent', ...process },
        { name: 'host-a:19:z', state: 'lost', ...process },
        {
          name: 'agent:gpu1',
          state: 'alive',
          slots: 2,
          used_slots: 0,
          pools: ['cpu', 'gpu'],
          labels: { arch: 'arm64' },
          version: '0.1.0',
        },
      ]);
      const table = (await cli.command('worker:list')).out;
      expect(table).to.match(/^host-a:17:x +alive +4 +0 +\d{4}-/m);
      expect(table).to.match(/^agent:gpu1 +alive +2 +0 +cpu, gpu +\{"arch":"arm64"\} +0\.1\.0 +\d{4}-/m);
      expect((await cli.command('status')).out).to.match(
        /^agents:\nname +pools .*\ngpu1 +cpu, gpu +0 +\{"arch":"arm64"\} +native +2 /m,
      );
      expect((await cli.command('status')).out).not.to.include('unserved_pools');
    });

    it('is for admins alone', async () => {
      await cli.command('user:save --login vera --email vera@example.com');
      const { code, err } = await cli.command('worker:list --as vera');
      expect([code, err]).to.deep.equal([1, 'vera may not read workers: that takes the role admin.\n']);
    });
  });
