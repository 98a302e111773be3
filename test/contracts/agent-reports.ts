import { randomUUID } from 'node:crypto';
import type { AgentEvent } from '@horarium/core/plugin';
import { expect } from 'chai';
import { required } from '#core/store/rows';
import { lockTemplates } from '#core/template/schedule';
import { type AgentFixture, AgentWorld, ended, file, printed } from '../support/worlds/agent-world.ts';
import { outcomes } from '../support/worlds/external-world.ts';

/** What agents report of attempts, on every store, also when several hosts take it in concurrently. */
export function agentReportsContract(name: string, open: () => Promise<AgentFixture>): void {
  describe(`Reports of attempts on agents ${name}`, () => {
    let world: AgentWorld;

    before(async () => {
      world = await new AgentWorld(await open()).seed();
    });
    after(() => world.close());

    it('each event once and in order, however often and in whatever order the reports come', async () => {
      const job = await world.claimedJob();
      const events = [printed('one\n'), printed('two\n', 'stderr'), printed('three\n')];
      expect(await world.report(job, [events[2] as AgentEvent], { from: 3 })).to.deep.equal(['early']);
      expect(await world.report(job, [events[0] as AgentEvent])).to.deep.equal(['stored']);
      expect(await world.report(job, events)).to.deep.equal(['stored', 'stored', 'stored']);
      expect(await world.report(job, events)).to.deep.equal(['stored', 'stored', 'stored']);
      expect(await world.outputOf(job.id)).to.deep.equal({ stdout: 'one\nthree\n', stderr: 'two\n' });
    });

    it('exactly once also where several hosts take the same reports in at the same time', async () => {
      const job = await world.claimedJob();
      const events = Array.from({ length: 6 }, (_, index) => printed(`${index}\n`));
      const all = () => world.hosts.map((host) => world.report(job, events, { host }));
      await outcomes([...all(), ...all()]);
      await world.report(job, events);
      expect(await world.outputOf(job.id)).to.include({ stdout: '0\n1\n2\n3\n4\n5\n' });
    });

    it('what comes before an end at once, and the end once no other transaction has its template', async function () {
      if (await world.within(async ({ serial }) => serial)) return this.skip();
      const job = await world.claimedJob();
      const events = [printed('one\n'), ended()];
      const told = await world.within(async (tables) => {
        await lockTemplates(tables, [job.runtemplate_id], 'wait');
        return world.report(job, events, { host: required(world.hosts[1], 'second host') });
      });
      expect(told).to.deep.equal(['stored', 'busy']);
      expect(await world.readJob(job.id)).to.include({ state: 'running' });
      expect(await world.outputOf(job.id)).to.include({ stdout: 'one\n' });
      expect(await world.report(job, events)).to.deep.equal(['stored', 'stored']);
      expect(await world.readJob(job.id)).to.include({ state: 'succeeded' });
    });

    it('a start, which shortens the lease of its claim unless a heartbeat has renewed it', async () => {
      const leases = { claimed: 10_000, shown: 4000 };
      const starting: AgentEvent = { kind: 'starting' };
      const [job, renewed, untimed] = [await world.claimedJob(), await world.claimedJob(), await world.claimedJob()];
      const endOf = async ({ id }: { id: number }) =>
        ((await world.leaseOf(id))?.ends_at ?? 0) - ((await world.readJob(id))?.started_at ?? 0);
      expect(await endOf(job)).to.equal(10_000);
      await world.report(job, [starting], { leases, happenedAt: (await world.readJob(job.id))?.started_at ?? 0 });
      expect(await endOf(job)).to.equal(4000);
      const running = [{ jobId: renewed.id, claim: renewed.claim }];
      await world.within(async (tables, { agents }) => {
        const until = (await tables.now()) + 9000;
        await agents.renewIn(tables, [{ agent: 'gpu1', running, until, lease: 9000 }]);
      });
      const end = await endOf(renewed);
      await world.report(renewed, [starting], { leases });
      await world.report(untimed, [starting]);
      expect([await endOf(renewed), await endOf(untimed)]).to.deep.equal([end, 10_000]);
    });

    it('nothing after the end, also where one transaction takes both', async () => {
      const job = await world.claimedJob();
      const lies = [printed('later\n'), ended({ exitCode: 9 })];
      expect(await world.report(job, [ended(), ...lies])).to.deep.equal(['stored', 'refused', 'refused']);
      expect(await world.readJob(job.id)).to.include({ state: 'succeeded', exit_code: 0 });
      expect(await world.outputOf(job.id)).to.include({ stdout: '' });
    });

    it('nothing for other agents and other claims', async () => {
      const job = await world.claimedJob();
      expect(await world.report(job, [ended()], { agent: 'gpu2' })).to.deep.equal(['refused']);
      expect(await world.report({ ...job, claim: randomUUID() }, [ended()])).to.deep.equal(['refused']);
      expect(await world.report({ ...job, id: job.id + 100_000 }, [ended()])).to.deep.equal(['refused']);
      expect(await world.readJob(job.id)).to.include({ state: 'running' });
    });

    it('output with masks for what the attempt was given, wherever its pieces end and whichever host takes them', async () => {
      const job = await world.claimedJob();
      const { HORARIUM_PING_URL: url = '' } = job.attempt.attempt.environment;
      const text = `password=${world.secret} key=${new URL(url).searchParams.get('key')} end\n`;
      let seq = 1;
      for (const [index, letter] of [...text].entries()) {
        const host = world.hosts[index % world.hosts.length];
        await world.report(job, [printed(letter)], { from: seq++, ...(host && { host }) });
      }
      const { kept } = (await world.leaseOf(job.id)) ?? {};
      expect(kept).to.equal(null);
      expect(await world.outputOf(job.id)).to.include({ stdout: 'password=•••••••• key=•••••••• end\n' });
    });

    it('what may begin a secret only once more is known, and at the end', async () => {
      const job = await world.claimedJob();
      await world.report(job, [printed(`a ${world.secret.slice(0, 5)}`)]);
      expect((await world.leaseOf(job.id))?.kept)
        .to.be.a('string')
        .that.does.not.include(world.secret.slice(0, 5));
      expect(await world.outputOf(job.id)).to.include({ stdout: 'a ' });
      await world.report(job, [ended()], { from: 2 });
      expect(await world.outputOf(job.id)).to.include({ stdout: `a ${world.secret.slice(0, 5)}` });
    });

    it('output up to the limit of one job, with a line in the place of the rest', async () => {
      const job = await world.claimedJob();
      const line = `${'x'.repeat(99)}\n`;
      for (let seq = 1; seq <= 25; seq++) await world.report(job, [printed(line)], { from: seq });
      const { stdout } = await world.outputOf(job.id);
      expect(stdout).to.equal(`${line.repeat(20)}[horarium: output cut after 2000 bytes]\n`);
      await world.report(job, [ended()], { from: 26 });
      expect(await world.readJob(job.id)).to.include({ state: 'succeeded' });
    });

    it('progress and messages, masked', async () => {
      const job = await world.claimedJob();
      await world.report(job, [{ kind: 'progress', progress: 40, message: `with ${world.secret}` }]);
      expect(await world.readJob(job.id)).to.include({ progress: 40, message: 'with ••••••••' });
    });

    it('files in pieces, which are stored once they are complete', async () => {
      const job = await world.claimedJob();
      const events = [...file('out/a.txt', 'a'.repeat(128 * 1024), 'beta'), ...file('empty.txt'), ended()];
      for (const [index, event] of events.entries()) await world.report(job, [event], { from: index + 1 });
      const files = await world.filesOf(job.id);
      expect(files.map(({ row, content }) => [row.filename, row.content_type, content])).to.deep.equal([
        ['out/a.txt', 'text/plain', `${'a'.repeat(128 * 1024)}beta`],
        ['empty.txt', 'text/plain', ''],
      ]);
      expect(await world.readJob(job.id)).to.include({ state: 'succeeded', reason: null });
    });

    it('no file that is incomplete, too large, stored already or outside of its folder, and say so at the end', async () => {
      const half = file('half.txt', 'only half').map((event) =>
        event.kind === 'file' ? { ...event, size: 90 } : event,
      );
      const refused: readonly (readonly [readonly AgentEvent[], string])[] = [
        [half, 'its content is incomplete'],
        [file('large.bin', 'x'.repeat(300_001)), 'it has 300001 bytes; a file may have at most 300000'],
        [file('short', 'xx', 'y'), 'its content is incomplete'],
        [file('../outside', 'x'), 'its name is no relative path'],
        [[...file('twice', 'x'), ...file('twice', 'y')], 'twice is stored already'],
      ];
      for (const [events, reason] of refused) {
        const job = await world.claimedJob();
        await world.report(job, [...events, ended({ exitCode: 1 })]);
        const stored = (await world.filesOf(job.id)).map(({ row }) => row.filename);
        expect(stored).to.deep.equal(reason.startsWith('twice') ? ['twice'] : []);
        expect((await world.readJob(job.id)).reason).to.equal(`exit code 1; a file was not stored: ${reason}`);
      }
    });

    it('their end, which decides the Task by the exit codes of the App and makes a retry due', async () => {
      const { id: runtemplate_id, pool } = await world.addTemplate();
      const { job, task } = await world.addTask(runtemplate_id, { max_attempts: 2 });
      const claim = randomUUID();
      await world.claim({ pool, claim });
      await world.report({ id: job, claim }, [ended({ exitCode: 1, peakMemory: 4096 })]);
      expect(await world.readJob(job)).to.include({ state: 'failed', exit_code: 1, peak_memory: 4096 });
      expect(await world.leaseOf(job)).to.equal(undefined);
      expect(await world.readTask(task)).to.include({ state: 'open', attempts: 1 });
      const [retry] = await world.claim({ pool, agent: 'gpu2' });
      expect(await world.readJob(retry?.jobId ?? 0)).to.include({
        trigger: 'retry',
        attempt: 2,
        worker: 'agent:gpu2',
      });
    });

    it('no end after another outcome: not of a lost attempt, nor twice', async () => {
      const job = await world.claimedJob();
      await world.within((tables, { agents }) => agents.endAgentIn(tables, 'gpu1', 'its agent was revoked'));
      expect(await world.readJob(job.id)).to.include({ state: 'lost', reason: 'its agent was revoked' });
      expect(await world.report(job, [ended()])).to.deep.equal(['refused']);
      expect(await world.readJob(job.id)).to.include({ state: 'lost' });
    });

    it('a cancellation as such, once the agent has stopped the attempt', async () => {
      const job = await world.claimedJob();
      await world.host.jobs.cancel(world.actor, job.id, 'enough');
      const stops = await world.within((tables, { agents }) => agents.stopsIn(tables));
      expect(stops).to.deep.include({ agent: 'gpu1', jobId: job.id, claim: job.claim, reason: 'enough' });
      await world.report(job, [ended({ exitCode: null, signal: 'SIGTERM', reason: 'enough' })]);
      expect(await world.readJob(job.id)).to.include({ state: 'cancelled', reason: 'enough' });
    });
  });
}
