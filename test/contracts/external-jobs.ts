import { randomUUID } from 'node:crypto';
import { Company, Job, Pause, type PauseRow, type RunTemplateRow, Task, TooManyRequests } from '@horarium/core';
import { expect } from 'chai';
import { noDailyLimits } from '#core/quota/daily-usage';
import { insertOne } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { rejectionOf } from '../support/mocha/rejection-of.ts';
import { type ExternalFixture, ExternalWorld, outcomes } from '../support/worlds/external-world.ts';

/** A template whose attempts are lost when they send no heartbeat for a minute. */
const withHeartbeats: Partial<RunTemplateRow> = { executor_options: { heartbeat_timeout: 60 } };

/** External attempts on every store, also when several hosts act concurrently. */
export function externalJobsContract(name: string, open: () => Promise<ExternalFixture>): void {
  describe(`External attempts ${name}`, () => {
    let world: ExternalWorld;

    before(async () => {
      world = await new ExternalWorld(await open()).seed();
    });
    after(() => world.close());

    it('are claimed once, however many claims are concurrent', async () => {
      const id = await world.scheduleJob();
      const results = await outcomes(world.onEveryHost((host) => host.external.claim(world.actor, id)));
      expect(results.filter((result) => result === 'done')).to.have.length(1);
      expect(results.filter((result) => result === 'conflict')).to.have.length(results.length - 1);
      expect(await world.readJob(id)).to.include({ state: 'running', worker: 'external:anna' });
    });

    it('never overlap when their template forbids it', async () => {
      const runtemplate_id = await world.addTemplate({ overlap: 'forbid' });
      const ids: number[] = [];
      for (let n = 0; n < 4; n++) ids.push((await world.host.jobs.schedule(world.actor, { runtemplate_id })).id);
      const claims = ids.flatMap((id) => world.hosts.map((host) => host.external.claim(world.actor, id)));
      expect((await outcomes(claims)).filter((result) => result === 'done')).to.have.length(1);
    });

    it('are claimed on no host while their template is paused, and on any afterwards', async () => {
      const id = await world.scheduleJob();
      const { runtemplate_id } = await world.readJob(id);
      const { store } = world.host;
      const claims = () => outcomes(world.onEveryHost((host) => host.external.claim(world.actor, id)));
      await store.transaction(world.actor, async (tables) => {
        const scope = { runtemplate_id, company_id: world.owner.company_id, starts_at: await tables.now() };
        await tables.of(Pause).insert([newRow(Pause, { ...scope, paused_by: 'anna', reason: 'lunch' })]);
      });
      expect([...new Set(await claims())]).to.deep.equal(['conflict']);
      expect(await world.readJob(id)).to.include({ state: 'scheduled' });
      await store.transaction(world.actor, async (tables) => {
        const [row] = await tables.of(Pause).find({ where: [['runtemplate_id', '=', runtemplate_id]] });
        await tables.of(Pause).update([{ row: row as PauseRow, set: { ended_at: await tables.now() } }]);
      });
      expect((await claims()).filter((result) => result === 'done')).to.have.length(1);
    });

    it('never are more than the max_running of their company, whichever hosts and templates they are claimed of', async () => {
      const company = newRow(Company, { code: randomUUID(), name: 'limited', max_running: 2 });
      const company_id = await world.host.store.transaction(world.actor, (tables) =>
        insertOne(tables.of(Company), company),
      );
      const templates = [await world.addTemplate({ company_id }), await world.addTemplate({ company_id })];
      const ids: number[] = [];
      for (const runtemplate_id of [...templates, ...templates])
        ids.push((await world.host.jobs.schedule(world.actor, { runtemplate_id })).id);
      const claims = ids.flatMap((id) => world.hosts.map((host) => host.external.claim(world.actor, id)));
      expect((await outcomes(claims)).filter((result) => result === 'done')).to.have.length(2);
    });

    it('end once, however many concurrent reports end them', async () => {
      const id = await world.claimJob();
      const results = await outcomes(
        world.onEveryHost((host) => host.external.report(world.actor, id, { exit_code: 0, stdout: 'x' })),
      );
      expect(results.filter((result) => result === 'done')).to.have.length(1);
      const { pieces } = await world.outputOf(id);
      expect(pieces).to.have.length(1);
    });

    it('store all output of concurrent reports, in one order', async () => {
      const id = await world.claimJob();
      const results = await outcomes(
        world.onEveryHost((host) => host.external.report(world.actor, id, { stdout: 'a', stderr: 'b' })),
      );
      expect(results.every((result) => result === 'done')).to.equal(true);
      const { pieces } = await world.outputOf(id);
      expect(pieces.map(({ seq }) => seq)).to.deep.equal(pieces.map((_piece, index) => index));
      expect(pieces).to.have.length(2 * results.length);
    });

    it('have their output truncated at the limit, with a line that says so', async () => {
      const id = await world.claimJob();
      for (const stdout of ['1234567890', 'abcdefghij', 'klm', 'more'])
        await world.host.external.report(world.actor, id, { stdout });
      await world.host.external.report(world.actor, id, { stderr: 'none of this', exit_code: 0 });
      const { pieces } = await world.outputOf(id);
      const text = pieces.map(({ data }) => new TextDecoder().decode(data)).join('');
      expect(text).to.equal('1234567890abcdefghij[horarium: output cut after 20 bytes]\n');
      const other = await world.claimJob();
      await world.host.external.report(world.actor, other, { stdout: '12345678901234567890\n' });
      const truncated = await world.outputOf(other);
      expect(new TextDecoder().decode(truncated.pieces[0]?.data)).to.equal(
        '12345678901234567890\n[horarium: output cut after 20 bytes]\n',
      );
    });

    it('have their output cut when their company has used up that of the day, on all hosts together', async () => {
      const limits = { ...noDailyLimits, maxOutputPerDay: 10, maxArtifactsPerDay: 10 };
      const company_id = await world.addCompany('output');
      const ids = await Promise.all(world.onEveryHost(() => world.claimJob({ company_id })));
      const report = (id: number, index: number) =>
        (world.hosts[index % world.hosts.length] ?? world.host)
          .externalWithin(limits)
          .report(world.actor, id, { stdout: 'abc', exit_code: 0 });
      expect(new Set(await outcomes(ids.map(report)))).to.deep.equal(new Set(['done']));
      const outputs = await Promise.all(
        ids.map(async (id) => new TextDecoder().decode((await world.outputOf(id)).pieces[0]?.data)),
      );
      const kept = outputs.map((output) => output.replace(/\n?\[horarium: output cut: company .*\]\n$/, ''));
      expect(kept.join('')).to.have.length(10);
      expect(outputs.filter((output) => output.includes('may store 10 bytes of output a day'))).to.have.length(
        ids.length - 3,
      );
    });

    it('have a report with files refused until the next day when their company has used up its artifacts', async () => {
      const id = await world.claimJob({ company_id: await world.addCompany('artifacts') });
      const external = world.host.externalWithin({ ...noDailyLimits, maxOutputPerDay: 10, maxArtifactsPerDay: 10 });
      const artifact = (filename: string) => ({ artifacts: [{ filename, content: btoa('123456') }] });
      await external.report(world.actor, id, artifact('a'));
      const refused = await rejectionOf(external.report(world.actor, id, artifact('b')));
      expect(refused).to.be.instanceOf(TooManyRequests).and.include({ code: 'too_many_requests' });
      expect((refused as TooManyRequests).message).to.match(
        /^The report of Job \d+ is refused for its files: company \d+ may store 10 bytes of artifacts a day, which are used up until \d{4}-\d\d-\d\dT00:00:00.000Z\.$/,
      );
      expect((refused as TooManyRequests).retryAfter).to.be.within(1, 24 * 3_600_000);
      expect(await world.filesOf(id)).to.have.length(1);
      await external.report(world.actor, id, { exit_code: 0 });
      expect(await world.readJob(id)).to.include({ state: 'succeeded' });
    });

    it('are lost when their lease has expired, whichever host reaps them', async () => {
      const id = await world.claimJob(withHeartbeats);
      await Promise.all(world.onEveryHost((host) => host.reaper.tick()));
      expect(await world.readJob(id)).to.include({ state: 'running' });
      await world.expireLease(id);
      await Promise.all(world.onEveryHost((host) => host.reaper.tick()));
      expect(await world.readJob(id)).to.include({ state: 'lost', reason: 'it sent no heartbeat for 60 s' });
      expect(await world.leaseOf(id)).to.equal(undefined);
    });

    it('stay alive by heartbeats, which are rejected once the lease has expired', async () => {
      const id = await world.claimJob(withHeartbeats);
      const key = world.heartbeatKeys.get(id) as string;
      const claimed = await world.leaseOf(id);
      await world.host.heartbeats.record(id, key, { progress: 50 });
      const renewed = await world.leaseOf(id);
      expect(renewed?.ends_at).to.be.at.least(claimed?.ends_at as number);
      expect(await world.readJob(id)).to.include({ progress: 50 });
      expect(await outcomes([world.host.heartbeats.record(id, key, { progress: 101 })])).to.deep.equal(['invalid']);
      await world.expireLease(id);
      expect(await outcomes([world.host.heartbeats.record(id, key, {})])).to.deep.equal(['not_found']);
      expect(await outcomes([world.host.external.report(world.actor, id, { exit_code: 0 })])).to.deep.equal([
        'conflict',
      ]);
    });

    it('either end by the report or are lost, when the report and the expiry are concurrent', async () => {
      for (let round = 0; round < 5; round++) {
        const id = await world.claimJob(withHeartbeats);
        const reports = world.hosts.map((host) => host.external.report(world.actor, id, { exit_code: 0 }));
        const [results] = await Promise.all([
          outcomes(reports),
          world.expireLease(id),
          ...world.onEveryHost((host) => host.reaper.tick()),
        ]);
        await world.host.reaper.tick();
        const { state } = await world.readJob(id);
        expect(state).to.equal(results.includes('done') ? 'succeeded' : 'lost');
      }
    });

    it('count as attempts of their Task', async () => {
      const runtemplate_id = await world.addTemplate({ max_attempts: 2 });
      const task = await world.addTask(runtemplate_id, { max_attempts: 2 });
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
