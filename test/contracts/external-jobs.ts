import { Job, newRow, Task } from '@horarium/core';
import { expect } from 'chai';
import { ExternalGround, type ExternalSubject, outcomes } from '../support/external-ground.ts';

/** The executor options with that heartbeat timeout. */
const heartbeatTimeout = (seconds: number) => ({ executor_options: { heartbeat_timeout: seconds } });

/** External attempts on every store, also when several hosts act at the same moment. */
export function externalJobsContract(name: string, open: () => Promise<ExternalSubject>): void {
  describe(`External attempts ${name}`, () => {
    let ground: ExternalGround;

    before(async () => {
      ground = await new ExternalGround(await open()).begin();
    });
    after(() => ground.close());

    it('are claimed once, however many claims come at the same moment', async () => {
      const id = await ground.due();
      const seen = await outcomes(ground.everywhere((each) => each.external.claim(ground.actor, id)));
      expect(seen.filter((each) => each === 'done')).to.have.length(1);
      expect(seen.filter((each) => each === 'conflict')).to.have.length(seen.length - 1);
      expect(await ground.read(id)).to.include({ state: 'running', worker: 'external:anna' });
    });

    it('never run side by side when their template forbids overlap', async () => {
      const runtemplate_id = await ground.template({ overlap: 'forbid' });
      const ids = [];
      for (let count = 0; count < 4; count++)
        ids.push((await ground.host.jobs.schedule(ground.actor, { runtemplate_id })).id);
      const claims = ids.flatMap((id) => ground.hosts.map((each) => each.external.claim(ground.actor, id)));
      expect((await outcomes(claims)).filter((each) => each === 'done')).to.have.length(1);
    });

    it('end once, however many reports end them at the same moment', async () => {
      const id = await ground.claimed();
      const seen = await outcomes(
        ground.everywhere((each) => each.external.report(ground.actor, id, { exit_code: 0, stdout: 'x' })),
      );
      expect(seen.filter((each) => each === 'done')).to.have.length(1);
      const { pieces } = await ground.written(id);
      expect(pieces).to.have.length(1);
    });

    it('store all output that is reported at the same moment, in one order', async () => {
      const id = await ground.claimed();
      const seen = await outcomes(
        ground.everywhere((each) => each.external.report(ground.actor, id, { stdout: 'a', stderr: 'b' })),
      );
      expect(seen.every((each) => each === 'done')).to.equal(true);
      const { pieces } = await ground.written(id);
      expect(pieces.map(({ seq }) => seq)).to.deep.equal(pieces.map((_piece, index) => index));
      expect(pieces).to.have.length(2 * seen.length);
    });

    it('have their output cut at the limit, with a line that says so', async () => {
      const id = await ground.claimed();
      for (const stdout of ['1234567890', 'abcdefghij', 'klm', 'more'])
        await ground.host.external.report(ground.actor, id, { stdout });
      await ground.host.external.report(ground.actor, id, { stderr: 'none of this', exit_code: 0 });
      const { pieces } = await ground.written(id);
      const text = pieces.map(({ data }) => new TextDecoder().decode(data)).join('');
      expect(text).to.equal('1234567890abcdefghij[horarium: output cut after 20 bytes]\n');
      const over = await ground.claimed();
      await ground.host.external.report(ground.actor, over, { stdout: '12345678901234567890\n' });
      const cut = await ground.written(over);
      expect(new TextDecoder().decode(cut.pieces[0]?.data)).to.equal(
        '12345678901234567890\n[horarium: output cut after 20 bytes]\n',
      );
    });

    it('are lost when their lease has run out, on whichever host the reaper ticks', async () => {
      const id = await ground.claimed(heartbeatTimeout(60));
      await Promise.all(ground.everywhere((each) => each.reaper.tick()));
      expect(await ground.read(id)).to.include({ state: 'running' });
      await ground.runOut(id);
      await Promise.all(ground.everywhere((each) => each.reaper.tick()));
      expect(await ground.read(id)).to.include({ state: 'lost', reason: 'it sent no heartbeat for 60 s' });
      expect((await ground.leases()).map((lease) => lease.job_id)).not.to.include(id);
    });

    it('are kept alive by heartbeats, which are refused once the lease has run out', async () => {
      const id = await ground.claimed(heartbeatTimeout(60));
      const key = ground.keys.get(id) as string;
      const [before] = (await ground.leases()).filter((lease) => lease.job_id === id);
      await ground.host.heartbeats.note(id, key, { progress: 50 });
      const [after] = (await ground.leases()).filter((lease) => lease.job_id === id);
      expect(after?.ends_at).to.be.at.least(before?.ends_at as number);
      expect(await ground.read(id)).to.include({ progress: 50 });
      expect(await outcomes([ground.host.heartbeats.note(id, key, { progress: 101 })])).to.deep.equal(['invalid']);
      await ground.runOut(id);
      expect(await outcomes([ground.host.heartbeats.note(id, key, {})])).to.deep.equal(['not_found']);
      expect(await outcomes([ground.host.external.report(ground.actor, id, { exit_code: 0 })])).to.deep.equal([
        'conflict',
      ]);
    });

    it('end either by the report or as lost when both happen at the same moment', async () => {
      for (let round = 0; round < 5; round++) {
        const id = await ground.claimed(heartbeatTimeout(60));
        const report = ground.hosts.map((each) => each.external.report(ground.actor, id, { exit_code: 0 }));
        const [seen] = await Promise.all([
          outcomes(report),
          ground.runOut(id),
          ...ground.everywhere((each) => each.reaper.tick()),
        ]);
        await ground.host.reaper.tick();
        const { state } = await ground.read(id);
        expect(state).to.equal(seen.includes('done') ? 'succeeded' : 'lost');
      }
    });

    it('count as attempts of their Task', async () => {
      const runtemplate_id = await ground.template({ max_attempts: 2 });
      const task = await ground.host.store.transaction(ground.actor, async (tables) => {
        const now = await tables.now();
        const window = { window_start: now - 1000, window_end: now + 3_600_000, deadline: now + 3_600_000 };
        const row = {
          runtemplate_id,
          company_id: ground.own.company_id,
          ...window,
          max_attempts: 2,
          last_start: now + 60_000,
        };
        const [id] = await tables.of(Task).insert([newRow(Task, row)]);
        return id as number;
      });
      const first = await ground.host.jobs.schedule(ground.actor, { task_id: task });
      await ground.host.external.claim(ground.actor, first.id);
      await ground.host.external.report(ground.actor, first.id, { exit_code: 1 });
      const [retry] = await ground.host.store.read((tables) =>
        tables.of(Job).find({
          where: [
            ['task_id', '=', task],
            ['state', '=', 'scheduled'],
          ],
        }),
      );
      expect(retry).to.include({ attempt: 2, trigger: 'retry', executor: 'external' });
      await ground.host.external.claim(ground.actor, retry?.id as number);
      await ground.host.external.report(ground.actor, retry?.id as number, { exit_code: 0 });
      const [ended] = await ground.host.store.read((tables) => tables.of(Task).find({ where: [['id', '=', task]] }));
      expect(ended).to.include({ state: 'fulfilled', attempts: 2, fulfilled_by_job_id: retry?.id });
    });
  });
}
