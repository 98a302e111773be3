import { Job, newRow, Task } from '@horarium/core';
import { expect } from 'chai';
import { type ExternalFixture, ExternalWorld, outcomes } from '../support/worlds/external-world.ts';

/** The executor options with that heartbeat timeout. */
const heartbeatTimeout = (seconds: number) => ({ executor_options: { heartbeat_timeout: seconds } });

/** External attempts on every store, also when several hosts act at the same moment. */
export function externalJobsContract(name: string, open: () => Promise<ExternalFixture>): void {
  describe(`External attempts ${name}`, () => {
    let world: ExternalWorld;

    before(async () => {
      world = await new ExternalWorld(await open()).seed();
    });
    after(() => world.close());

    it('are claimed once, however many claims come at the same moment', async () => {
      const id = await world.scheduleJob();
      const seen = await outcomes(world.onEveryHost((each) => each.external.claim(world.actor, id)));
      expect(seen.filter((each) => each === 'done')).to.have.length(1);
      expect(seen.filter((each) => each === 'conflict')).to.have.length(seen.length - 1);
      expect(await world.readJob(id)).to.include({ state: 'running', worker: 'external:anna' });
    });

    it('never run side by side when their template forbids overlap', async () => {
      const runtemplate_id = await world.addTemplate({ overlap: 'forbid' });
      const ids = [];
      for (let count = 0; count < 4; count++)
        ids.push((await world.host.jobs.schedule(world.actor, { runtemplate_id })).id);
      const claims = ids.flatMap((id) => world.hosts.map((each) => each.external.claim(world.actor, id)));
      expect((await outcomes(claims)).filter((each) => each === 'done')).to.have.length(1);
    });

    it('end once, however many reports end them at the same moment', async () => {
      const id = await world.claimJob();
      const seen = await outcomes(
        world.onEveryHost((each) => each.external.report(world.actor, id, { exit_code: 0, stdout: 'x' })),
      );
      expect(seen.filter((each) => each === 'done')).to.have.length(1);
      const { pieces } = await world.outputOf(id);
      expect(pieces).to.have.length(1);
    });

    it('store all output that is reported at the same moment, in one order', async () => {
      const id = await world.claimJob();
      const seen = await outcomes(
        world.onEveryHost((each) => each.external.report(world.actor, id, { stdout: 'a', stderr: 'b' })),
      );
      expect(seen.every((each) => each === 'done')).to.equal(true);
      const { pieces } = await world.outputOf(id);
      expect(pieces.map(({ seq }) => seq)).to.deep.equal(pieces.map((_piece, index) => index));
      expect(pieces).to.have.length(2 * seen.length);
    });

    it('have their output cut at the limit, with a line that says so', async () => {
      const id = await world.claimJob();
      for (const stdout of ['1234567890', 'abcdefghij', 'klm', 'more'])
        await world.host.external.report(world.actor, id, { stdout });
      await world.host.external.report(world.actor, id, { stderr: 'none of this', exit_code: 0 });
      const { pieces } = await world.outputOf(id);
      const text = pieces.map(({ data }) => new TextDecoder().decode(data)).join('');
      expect(text).to.equal('1234567890abcdefghij[horarium: output cut after 20 bytes]\n');
      const over = await world.claimJob();
      await world.host.external.report(world.actor, over, { stdout: '12345678901234567890\n' });
      const cut = await world.outputOf(over);
      expect(new TextDecoder().decode(cut.pieces[0]?.data)).to.equal(
        '12345678901234567890\n[horarium: output cut after 20 bytes]\n',
      );
    });

    it('are lost when their lease has run out, on whichever host the reaper ticks', async () => {
      const id = await world.claimJob(heartbeatTimeout(60));
      await Promise.all(world.onEveryHost((each) => each.reaper.tick()));
      expect(await world.readJob(id)).to.include({ state: 'running' });
      await world.expireLease(id);
      await Promise.all(world.onEveryHost((each) => each.reaper.tick()));
      expect(await world.readJob(id)).to.include({ state: 'lost', reason: 'it sent no heartbeat for 60 s' });
      expect((await world.leases()).map((lease) => lease.job_id)).not.to.include(id);
    });

    it('are kept alive by heartbeats, which are refused once the lease has run out', async () => {
      const id = await world.claimJob(heartbeatTimeout(60));
      const key = world.keys.get(id) as string;
      const [before] = (await world.leases()).filter((lease) => lease.job_id === id);
      await world.host.heartbeats.record(id, key, { progress: 50 });
      const [after] = (await world.leases()).filter((lease) => lease.job_id === id);
      expect(after?.ends_at).to.be.at.least(before?.ends_at as number);
      expect(await world.readJob(id)).to.include({ progress: 50 });
      expect(await outcomes([world.host.heartbeats.record(id, key, { progress: 101 })])).to.deep.equal(['invalid']);
      await world.expireLease(id);
      expect(await outcomes([world.host.heartbeats.record(id, key, {})])).to.deep.equal(['not_found']);
      expect(await outcomes([world.host.external.report(world.actor, id, { exit_code: 0 })])).to.deep.equal([
        'conflict',
      ]);
    });

    it('end either by the report or as lost when both happen at the same moment', async () => {
      for (let round = 0; round < 5; round++) {
        const id = await world.claimJob(heartbeatTimeout(60));
        const report = world.hosts.map((each) => each.external.report(world.actor, id, { exit_code: 0 }));
        const [seen] = await Promise.all([
          outcomes(report),
          world.expireLease(id),
          ...world.onEveryHost((each) => each.reaper.tick()),
        ]);
        await world.host.reaper.tick();
        const { state } = await world.readJob(id);
        expect(state).to.equal(seen.includes('done') ? 'succeeded' : 'lost');
      }
    });

    it('count as attempts of their Task', async () => {
      const runtemplate_id = await world.addTemplate({ max_attempts: 2 });
      const task = await world.host.store.transaction(world.actor, async (tables) => {
        const now = await tables.now();
        const window = { window_start: now - 1000, window_end: now + 3_600_000, deadline: now + 3_600_000 };
        const row = {
          runtemplate_id,
          company_id: world.owner.company_id,
          ...window,
          max_attempts: 2,
          start_deadline: now + 60_000,
        };
        const [id] = await tables.of(Task).insert([newRow(Task, row)]);
        return id as number;
      });
      const first = await world.host.jobs.schedule(world.actor, { task_id: task });
      await world.host.external.claim(world.actor, first.id);
      await world.host.external.report(world.actor, first.id, { exit_code: 1 });
      const [retry] = await world.host.store.read((tables) =>
        tables.of(Job).find({
          where: [
            ['task_id', '=', task],
            ['state', '=', 'scheduled'],
          ],
        }),
      );
      expect(retry).to.include({ attempt: 2, trigger: 'retry', executor: 'external' });
      await world.host.external.claim(world.actor, retry?.id as number);
      await world.host.external.report(world.actor, retry?.id as number, { exit_code: 0 });
      const [ended] = await world.host.store.read((tables) => tables.of(Task).find({ where: [['id', '=', task]] }));
      expect(ended).to.include({ state: 'fulfilled', attempts: 2, fulfilled_by_job_id: retry?.id });
    });
  });
}
