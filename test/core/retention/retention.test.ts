import { Artifact, AuditLog, Delivery, Event, formatInstant, Job, Task, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { AuditSpan } from '#core/audit/audit-span';
import { changesIn } from '#core/audit/shared-entries';
import { noCalendarRules } from '#core/calendar/calendars';
import { ArtifactContent } from '#core/job/artifact';
import { JobOutput } from '#core/job/job-output';
import { summarize } from '#core/summary/summarize';
import { summarizeTasks } from '#core/task/task-summary';
import { TaskTotal } from '#core/task/task-total';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { type OpenedStore, storeKinds } from '../../support/store/store-kinds.ts';
import { AuditWorld } from '../../support/worlds/audit-world.ts';
import { day, KeptWorld, timezone } from './kept-world.ts';

const nothing = { tasks: 0, jobs: 0, artifacts: 0, outputs: 0, events: 0, deliveries: 0 };

for (const [kind, open] of Object.entries(storeKinds))
  describe(`Retention in ${kind}`, () => {
    let world: KeptWorld;
    let opened: OpenedStore;

    beforeEach(async () => {
      opened = await open();
      world = new KeptWorld(opened.store);
    });

    afterEach(() => opened.close());

    it('keeps everything where no rule says otherwise', async () => {
      const template = await world.template(await world.company());
      const task_id = await world.task(template, 4000, { state: 'failed' });
      await world.files(await world.job(template, 4000, { task_id }));
      expect(await world.prune()).to.deep.equal(nothing);
    });

    it('deletes Tasks by their age, with their jobs, output and artifacts, and audits each', async () => {
      const template = await world.template(await world.company());
      const old = await world.task(template, 40, { state: 'failed' });
      const jobs = [await world.job(template, 40, { task_id: old }), await world.job(template, 39, { task_id: old })];
      for (const job of jobs) await world.files(job, 130);
      const young = await world.task(template, 20);
      const kept = await world.job(template, 20, { task_id: young, state: 'succeeded' });
      const counts = { ...nothing, tasks: 1, jobs: 2, artifacts: 2, outputs: 2 };
      expect(await world.wouldPrune({ days: 30 })).to.deep.equal(counts);
      expect(await world.prune({ days: 30 })).to.deep.equal(counts);
      expect(await world.ids(Task)).to.deep.equal([young]);
      expect(await world.ids(Job)).to.deep.equal([kept]);
      for (const table of [Artifact, ArtifactContent, JobOutput]) expect(await world.ids(table)).to.deep.equal([]);
      expect((await deletions('Task')).map(({ entity_id }) => entity_id)).to.deep.equal([old]);
      expect((await deletions('Job')).map(({ entity_id }) => entity_id)).to.have.members(jobs);
      expect(await deletions('Artifact')).to.have.length(2);
      const [entry] = await deletions('Task');
      expect(entry).to.deep.include({ actor: 'retention', channel: 'system', user_id: null });
      expect(entry?.changes['state']).to.deep.equal(['failed', null]);
      expect(await world.prune({ days: 30 })).to.deep.equal(nothing);
    });

    it('goes by the rule of the template, then of the company, then of the service', async () => {
      const long = await world.company({ keep_days: 100 });
      const templates = [
        await world.template(await world.company()),
        await world.template(long),
        await world.template(long, { keep_days: 10 }),
        await world.template(await world.company({ keep_days: 10 }), { keep_days: 36_500 }),
      ];
      const tasks: number[] = [];
      for (const template of templates) {
        tasks.push(await world.task(template, 50, { state: 'failed' }));
        await world.task(template, 1);
      }
      await world.prune({ days: 30 });
      const left = await world.ids(Task);
      expect(tasks.map((id) => left.includes(id))).to.deep.equal([false, true, false, true]);
    });

    it('keeps the newest of each template where it counts them', async () => {
      const company = await world.company({ keep_last: 3 });
      const windowed = await world.template(company);
      const tasks: number[] = [];
      for (let ago = 10; ago > 0; ago -= 1) tasks.push(await world.task(windowed, ago, { state: 'missed' }));
      const adhoc = await world.template(company, { keep_last: 2 });
      const jobs: number[] = [];
      for (let ago = 5; ago > 0; ago -= 1)
        jobs.push(await world.job(adhoc, ago, { state: ago % 2 ? 'failed' : 'lost' }));
      expect(await world.wouldPrune()).to.deep.equal({ ...nothing, tasks: 7, jobs: 3 });
      await world.prune();
      expect(await world.ids(Task)).to.deep.equal(tasks.slice(-3));
      expect(await world.ids(Job)).to.deep.equal(jobs.slice(-2));
    });

    it('keeps what is in use: open Tasks, those that are repeated, and jobs that have not ended', async () => {
      const template = await world.template(await world.company());
      const open = await world.task(template, 50, { state: 'open', ended_at: null });
      const repeated = await world.task(template, 49, { state: 'failed' });
      const jobs = [
        await world.job(template, 49, { task_id: repeated }),
        await world.job(template, 0, { task_id: repeated, state: 'running', finished_at: null }),
        await world.job(template, 60, { state: 'scheduled', finished_at: null }),
      ];
      await world.task(template, 1);
      await world.files(jobs[0] as number);
      expect(await world.wouldPrune({ days: 30 })).to.deep.equal(nothing);
      expect(await world.prune({ days: 30 })).to.deep.equal(nothing);
      expect(await world.ids(Task)).to.include.members([open, repeated]);
      expect(await world.ids(Job)).to.deep.equal(jobs);
      expect(await world.ids(JobOutput)).to.have.length(1);
    });

    it('keeps the last success of a template, with its Task, and its newest Task', async () => {
      const template = await world.template(await world.company());
      const before = await world.task(template, 60);
      await world.job(template, 60, { task_id: before, state: 'succeeded' });
      const success = await world.task(template, 50);
      const job = await world.job(template, 50, { task_id: success, state: 'succeeded' });
      await world.task(template, 45, { state: 'failed' });
      const newest = await world.task(template, 40, { state: 'failed' });
      expect(await world.prune({ days: 30 })).to.deep.equal({ ...nothing, tasks: 2, jobs: 1 });
      expect(await world.ids(Task)).to.deep.equal([success, newest]);
      expect(await world.ids(Job)).to.deep.equal([job]);
    });

    it('deletes output and artifacts sooner than their jobs, and marks these', async () => {
      const company = await world.company();
      const quick = await world.template(company, { keep_files_days: 2 });
      const slow = await world.template(company);
      const jobs = [await world.job(slow, 5), await world.job(quick, 5), await world.job(quick, 1)];
      for (const job of jobs) await world.files(job, 3);
      // As many pieces as one transaction deletes.
      const full = await world.job(quick, 5);
      await world.files(full, 100 - 3);
      const counts = { ...nothing, artifacts: 2, outputs: 2 };
      expect(await world.wouldPrune({ filesDays: 10 })).to.deep.equal(counts);
      expect(await world.prune({ filesDays: 10 })).to.deep.equal(counts);
      const marked = await Promise.all(jobs.map(async (id) => (await world.one(Job, id)).output_deleted_at !== null));
      expect(marked).to.deep.equal([false, true, false]);
      const left = await world.store.read((tables) => tables.of(JobOutput).countBy(['job_id']));
      expect(left.map(({ values: [id], count }) => [id, count])).to.have.deep.members([
        [jobs[0], 3],
        [jobs[2], 3],
      ]);
      const entries = await entriesOf('Job', 'update');
      expect(entries.map(({ entity_id }) => entity_id)).to.have.members([jobs[1], full]);
      expect((await world.one(Job, full)).output_deleted_at).to.be.a('number');
    });

    it('goes on counting what it has deleted, day by day', async () => {
      const template = await world.template(await world.company());
      const states = ['fulfilled', 'fulfilled', 'fulfilled_late', 'failed', 'missed', 'cancelled'] as const;
      for (const [index, state] of states.entries()) await world.task(template, 40 - index / 100, { state });
      await world.task(template, 39.5, { state: 'failed', backfilled: true });
      await world.task(template, 1);
      const before = await figures();
      expect(before.summary).to.include({ owed: 6, on_time: 3, late: 1, failed: 1, missed: 1, cancelled: 1 });
      await world.prune({ days: 30 });
      expect(await world.ids(Task)).to.have.length(1);
      expect(await figures()).to.deep.equal(before);
      // Those of the same days that are deleted later are added.
      await world.task(template, 40, { state: 'missed', window_start: (await world.now()) - 40 * day - 1 });
      await world.prune({ days: 30 });
      expect((await figures()).summary).to.include({ owed: 7, on_time: 3, missed: 2 });
    });

    it('deletes events that are done with and that caused no job that is kept, and deliveries after 30 days', async () => {
      const company = await world.company();
      const template = await world.template(company);
      const cause = await world.event(company, 50);
      await world.job(template, 20, { event_id: cause });
      await world.event(company, 50);
      await world.event(null, 50);
      const pending = await world.event(company, 50, { state: 'pending' });
      const young = await world.event(company, 20);
      await world.delivery(company, 31);
      const delivery = await world.delivery(company, 29);
      expect(await world.prune({ days: 30 })).to.deep.equal({ ...nothing, events: 2, deliveries: 1 });
      expect(await world.ids(Event)).to.deep.equal([cause, pending, young]);
      expect(await world.ids(Delivery)).to.deep.equal([delivery]);
      expect(await deletions('Event')).to.have.length(2);
      expect(await deletions('Delivery')).to.have.length(1);
    });

    it('keeps a company within its bound: the templates with the most rows give way, and the oldest events', async () => {
      const [small, large] = [await world.company(), await world.company()];
      const busy = await world.template(large);
      const rare = await world.template(large);
      const rareTasks: number[] = [];
      for (let ago = 3; ago > 0; ago -= 1) rareTasks.push(await world.task(rare, ago * 30, { state: 'missed' }));
      for (let ago = 30; ago > 0; ago -= 1) await world.task(busy, ago / 10, { state: 'missed' });
      const other = await world.task(await world.template(small), 400, { state: 'missed' });
      const events: number[] = [];
      for (let ago = 15; ago > 0; ago -= 1) events.push(await world.event(large, ago));
      const kept = await world.event(small, 100);
      expect(await world.prune({ rowsPerCompany: 10 })).to.deep.equal({ ...nothing, tasks: 23, events: 5 });
      const left = await world.ids(Task);
      expect(left).to.include.members([...rareTasks, other]);
      expect(left).to.have.length(3 + 7 + 1);
      expect(await world.ids(Event)).to.deep.equal([...events.slice(-10), kept]);
    });

    it('counts the attempts of Tasks to the rows of a company', async () => {
      const template = await world.template(await world.company());
      for (let ago = 10; ago > 0; ago -= 1) {
        const task_id = await world.task(template, ago, { state: 'failed' });
        for (let attempt = 0; attempt < 4; attempt += 1) await world.job(template, ago, { task_id });
      }
      const adhoc = [await world.job(template, 12), await world.job(template, 0)];
      expect(await world.prune({ rowsPerCompany: 20 })).to.deep.equal({ ...nothing, tasks: 7, jobs: 28 });
      expect(await world.ids(Task)).to.have.length(3);
      expect(await world.ids(Job)).to.include.members(adhoc);
    });

    it('leaves deliveries that wait', async () => {
      const company = await world.company();
      const waiting = await world.delivery(company, 5);
      await world.set(Delivery, waiting, { state: 'pending' });
      await world.delivery(company, 5);
      expect(await world.prune({ days: 1 })).to.deep.equal({ ...nothing, deliveries: 1 });
      expect(await world.ids(Delivery)).to.deep.equal([waiting]);
    });

    it('deletes more than one transaction holds, template by template', async () => {
      const company = await world.company();
      const templates = [await world.template(company), await world.template(company)];
      const now = await world.now();
      for (const template of templates)
        for (let index = 0; index < 150; index += 1)
          await world.task(template, 90, { window_start: now - 90 * day + index, state: 'missed' });
      const counts = await world.prune({ days: 30 });
      expect(counts.tasks).to.be.at.least(298);
      const totals = await world.store.read((tables) => tables.of(TaskTotal).sumBy([], ['missed']));
      expect(totals[0]?.sums).to.deep.equal([counts.tasks]);
    });

    it('seals what it deletes with it, where writers take turns, beside entries that wait for the sealer', async () => {
      const template = await world.template(await world.company());
      for (const ago of [3, 2, 1]) await world.task(template, ago, { state: 'missed' });
      await world.prune({ days: 2 });
      await world.task(template, 0, { state: 'missed' });
      await world.prune({ days: 1 });
      const sealed = await world.store.read((tables) => tables.of(AuditLog).find({ where: [['seq', '!=', null]] }));
      const serial = await world.store.read(async (tables) => tables.serial);
      expect(sealed.map(({ action, seq }) => `${action} ${seq}`)).to.deep.equal(serial ? ['delete 1', 'delete 2'] : []);
      const audit = new AuditWorld({ store: opened.store });
      await audit.seal();
      expect(audit.forged).to.deep.equal([]);
      expect(await audit.verify()).to.include({ problem: null, open: 0 });
    });

    it('is for admins alone', async () => {
      const error = await rejectionOf(world.pruning({}).prune({ ...trustedActor('anna'), roles: new Set() }));
      expect(error).to.include({ code: 'denied' });
    });

    async function entriesOf(entityType: string, action: 'update' | 'delete') {
      const entries = await world.store.read((tables) =>
        tables.of(AuditLog).find({
          where: [
            ['entity_type', '=', entityType],
            ['action', '=', action],
          ],
        }),
      );
      const spans = await world.store.read((tables) => tables.of(AuditSpan).count());
      expect(spans > 0 || entries.every(({ entity_id }) => entity_id !== 0)).to.equal(true);
      return changesIn(entries);
    }

    function deletions(entityType: string) {
      return entriesOf(entityType, 'delete');
    }

    /** What both summaries say of the last sixty days; times that pass meanwhile are left out. */
    async function figures() {
      const to = await world.now();
      const from = to - 60 * day;
      const actor = trustedActor('test');
      const context = { timezone, external: new Set<string>(), calendarRules: noCalendarRules };
      const days = await world.store.read((tables) => summarizeTasks(tables, [], { from, to, timezone }));
      const summary = await world.store.read((tables) => summarize(tables, actor, { from, to }, context));
      const { owed, on_time, late, failed, missed, cancelled, ok } = summary;
      expect(formatInstant(summary.from)).to.equal(formatInstant(from));
      return { days, summary: { owed, on_time, late, failed, missed, cancelled, ok } };
    }
  });
