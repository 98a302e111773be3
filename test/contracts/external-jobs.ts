import {
  App,
  Company,
  ExternalLease,
  Job,
  newRow,
  RunTemplate,
  type RunTemplateRow,
  readOutput,
  type Store,
  Task,
  trustedActor,
} from '@horarium/core';
import { expect } from 'chai';
import { followOwnTemplate } from '#core/schedule/follow-records';
import { ExternalHost } from '../support/external-host.ts';

export interface ExternalSubject {
  /** Connections to one empty store, as so many hosts have them; they may be the same. */
  readonly stores: readonly Store[];
  close(): Promise<void>;
}

const actor = trustedActor('anna', 'http');
/** What external attempts hold on every store, also when several hosts do things at the same moment. */
export function externalJobsContract(name: string, open: () => Promise<ExternalSubject>): void {
  describe(`External attempts ${name}`, () => {
    const keys = new Map<number, string>();
    let subject: ExternalSubject;
    let hosts: ExternalHost[];
    let host: ExternalHost;
    let own: { readonly app_id: number; readonly company_id: number };

    const template = async (fields: Partial<RunTemplateRow> = {}): Promise<number> =>
      host.store.transaction(actor, async (tables) => {
        const usual = { name: 'external', interval: 'none', executor: 'external', overlap: 'allow' } as const;
        const [id] = await tables.of(RunTemplate).insert([newRow(RunTemplate, { ...usual, ...own, ...fields })]);
        const [after] = await tables.of(RunTemplate).find({ where: [['id', '=', id]] });
        await followOwnTemplate({ before: undefined, after }, tables);
        return id as number;
      });
    const patient = (seconds: number) => ({ executor_options: { heartbeat_timeout: seconds } });
    const due = async (fields: Partial<RunTemplateRow> = {}): Promise<number> =>
      (await host.jobs.schedule(actor, { runtemplate_id: await template(fields) })).id;
    const claimed = async (fields: Partial<RunTemplateRow> = {}): Promise<number> =>
      (await host.external.claim(actor, await due(fields))).job.id;
    const read = async (id: number) => {
      const [job] = await host.store.read((tables) => tables.of(Job).find({ where: [['id', '=', id]] }));
      if (!job) throw new Error(`There is no job ${id}.`);
      return job;
    };
    const written = async (id: number) => {
      const job = await read(id);
      return host.store.read((tables) => readOutput(tables, job, {}));
    };
    const leases = () => host.store.read((tables) => tables.of(ExternalLease).find());
    /** As if so much time had passed that the lease of this job has run out. */
    const runOut = (id: number) =>
      host.store.transaction(actor, async (tables) => {
        const now = await tables.now();
        await tables.of(ExternalLease).updateWhere([['job_id', '=', id]], { ends_at: now - 1 });
      });
    /** How each of them went: `done`, or the code of its refusal. */
    const outcomes = async (works: readonly Promise<unknown>[]) => {
      const settled = await Promise.allSettled(works);
      return settled.map((each) => (each.status === 'fulfilled' ? 'done' : (each.reason.code ?? each.reason)));
    };
    const everywhere = <T>(work: (each: ExternalHost) => Promise<T>) => [0, 1, 2, 3].flatMap(() => hosts.map(work));

    before(async () => {
      subject = await open();
      hosts = subject.stores.map((store) => new ExternalHost(store, keys));
      host = hosts[0] as ExternalHost;
      own = await host.store.transaction(actor, async (tables) => {
        const uuid = '00000000-0000-4000-8000-000000000001';
        const [app_id] = await tables.of(App).insert([newRow(App, { name: 'work', executable: 'work', uuid })]);
        const [company_id] = await tables.of(Company).insert([newRow(Company, { code: 'acme', name: 'Acme' })]);
        return { app_id: app_id as number, company_id: company_id as number };
      });
    });
    after(() => subject.close());

    it('are claimed by one, however many try at the same moment', async () => {
      const id = await due();
      const seen = await outcomes(everywhere((each) => each.external.claim(actor, id)));
      expect(seen.filter((each) => each === 'done')).to.have.length(1);
      expect(seen.filter((each) => each === 'conflict')).to.have.length(seen.length - 1);
      expect(await read(id)).to.include({ state: 'running', worker: 'external:anna' });
    });

    it('of one template that forbids it never run side by side', async () => {
      const runtemplate_id = await template({ overlap: 'forbid' });
      const ids = [];
      for (let count = 0; count < 4; count++) ids.push((await host.jobs.schedule(actor, { runtemplate_id })).id);
      const claims = ids.flatMap((id) => hosts.map((each) => each.external.claim(actor, id)));
      expect((await outcomes(claims)).filter((each) => each === 'done')).to.have.length(1);
    });

    it('end once, whoever says so', async () => {
      const id = await claimed();
      const seen = await outcomes(everywhere((each) => each.external.report(actor, id, { exit_code: 0, stdout: 'x' })));
      expect(seen.filter((each) => each === 'done')).to.have.length(1);
      const { pieces } = await written(id);
      expect(pieces).to.have.length(1);
    });

    it('keep all that is reported at the same moment, in one order', async () => {
      const id = await claimed();
      const seen = await outcomes(everywhere((each) => each.external.report(actor, id, { stdout: 'a', stderr: 'b' })));
      expect(seen.every((each) => each === 'done')).to.equal(true);
      const { pieces } = await written(id);
      expect(pieces.map(({ seq }) => seq)).to.deep.equal(pieces.map((_piece, index) => index));
      expect(pieces).to.have.length(2 * seen.length);
    });

    it('keep so much of their output, and a line that says so', async () => {
      const id = await claimed();
      for (const stdout of ['1234567890', 'abcdefghij', 'klm', 'more'])
        await host.external.report(actor, id, { stdout });
      await host.external.report(actor, id, { stderr: 'none of this', exit_code: 0 });
      const { pieces } = await written(id);
      const text = pieces.map(({ data }) => new TextDecoder().decode(data)).join('');
      expect(text).to.equal('1234567890abcdefghij[horarium: output cut after 20 bytes]\n');
      const over = await claimed();
      await host.external.report(actor, over, { stdout: '12345678901234567890\n' });
      const cut = await written(over);
      expect(new TextDecoder().decode(cut.pieces[0]?.data)).to.equal(
        '12345678901234567890\n[horarium: output cut after 20 bytes]\n',
      );
    });

    it('are lost when their lease has run out, whoever notices it', async () => {
      const id = await claimed(patient(60));
      await Promise.all(everywhere((each) => each.keeper.beat()));
      expect(await read(id)).to.include({ state: 'running' });
      await runOut(id);
      await Promise.all(everywhere((each) => each.keeper.beat()));
      expect(await read(id)).to.include({ state: 'lost', reason: 'it gave no sign of life for 60 s' });
      expect((await leases()).map((lease) => lease.job_id)).not.to.include(id);
    });

    it('live on by heartbeats, and only as long as the lease lasts', async () => {
      const id = await claimed(patient(60));
      const key = keys.get(id) as string;
      const [before] = (await leases()).filter((lease) => lease.job_id === id);
      await host.heartbeats.note(id, key, { progress: 50 });
      const [after] = (await leases()).filter((lease) => lease.job_id === id);
      expect(after?.ends_at).to.be.at.least(before?.ends_at as number);
      expect(await read(id)).to.include({ progress: 50 });
      await runOut(id);
      expect(await outcomes([host.heartbeats.note(id, key, {})])).to.deep.equal(['not_found']);
      expect(await outcomes([host.external.report(actor, id, { exit_code: 0 })])).to.deep.equal(['conflict']);
    });

    it('are either reported or lost, when both happen at the same moment', async () => {
      for (let round = 0; round < 5; round++) {
        const id = await claimed(patient(60));
        const report = hosts.map((each) => each.external.report(actor, id, { exit_code: 0 }));
        const [seen] = await Promise.all([outcomes(report), runOut(id), ...everywhere((each) => each.keeper.beat())]);
        await host.keeper.beat();
        const { state } = await read(id);
        expect(state).to.equal(seen.includes('done') ? 'succeeded' : 'lost');
      }
    });

    it('count as attempts of their Task', async () => {
      const runtemplate_id = await template({ max_attempts: 2 });
      const task = await host.store.transaction(actor, async (tables) => {
        const now = await tables.now();
        const window = { window_start: now - 1000, window_end: now + 3_600_000, deadline: now + 3_600_000 };
        const row = {
          runtemplate_id,
          company_id: own.company_id,
          ...window,
          max_attempts: 2,
          last_start: now + 60_000,
        };
        const [id] = await tables.of(Task).insert([newRow(Task, row)]);
        return id as number;
      });
      const first = await host.jobs.schedule(actor, { task_id: task });
      await host.external.claim(actor, first.id);
      await host.external.report(actor, first.id, { exit_code: 1 });
      const [retry] = await host.store.read((tables) =>
        tables.of(Job).find({
          where: [
            ['task_id', '=', task],
            ['state', '=', 'scheduled'],
          ],
        }),
      );
      expect(retry).to.include({ attempt: 2, trigger: 'retry', executor: 'external' });
      await host.external.claim(actor, retry?.id as number);
      await host.external.report(actor, retry?.id as number, { exit_code: 0 });
      const [ended] = await host.store.read((tables) => tables.of(Task).find({ where: [['id', '=', task]] }));
      expect(ended).to.include({ state: 'fulfilled', attempts: 2, fulfilled_by_job_id: retry?.id });
    });
  });
}
