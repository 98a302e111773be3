import {
  type Actor,
  Artifact,
  AuditLog,
  allResources,
  Job,
  type JobRow,
  type TableDescription,
  Task,
  trustedActor,
} from '@horarium/core';
import { expect } from 'chai';
import { ArtifactContent, storeArtifacts } from '#core/job/artifact';
import { JobOutput } from '#core/job/job-output';
import { findResource } from '#core/resources';
import { newRow } from '#core/store/table';
import { Schedule } from '#core/template/schedule';
import { MemoryCore } from '../../support/worlds/memory-core.ts';
import { type AnyRow, refusal, root, user } from '../../support/worlds/record-world.ts';
import { recordReads } from '../../support/worlds/recorded-reads.ts';

const day = (n: number) => Date.UTC(2026, 0, n);

describe('Deleting a record', () => {
  let core: MemoryCore;
  const save = (name: string, input: object): Promise<AnyRow> => core.records(name).save(root, input);
  const deleteRecord = (name: string, id: number, options = {}, actor = root) =>
    core.records(name).delete(actor, id, options);
  const inStore = <T>(work: Parameters<typeof core.store.transaction<T>>[1]) =>
    core.store.transaction(trustedActor('test'), work);
  const counts = async () => {
    const counted: Record<string, number> = {};
    for (const { name } of allResources.filter(({ audited }) => audited)) {
      const count = await core.store.read((tables) => tables.of(findResource(name)).count());
      if (count > 0) counted[name] = count;
    }
    return counted;
  };
  const deletions = async () => {
    const where = [['action', '=', 'delete']] as const;
    const entries = await core.store.read((tables) => tables.of(AuditLog).find({ where }));
    return entries.map(({ entity_type, entity_id }) => `${entity_type} ${entity_id}`);
  };
  const companyWithTemplate = async (code = 'acme') => {
    const app = await save('App', { name: code, executable: 'true' });
    const company = await save('Company', { code, name: code });
    const fields = { name: 'nightly', app_id: app.id, company_id: company.id, interval: 'daily' };
    return { app, company, template: await save('RunTemplate', fields) };
  };
  /** Inserts fulfilled Tasks on so many days, with an ended job each. @returns the ids of the jobs. */
  const history = (template: AnyRow, days: number, job: Partial<JobRow> = {}) =>
    inStore(async (tables) => {
      const { id: runtemplate_id, company_id, app_id } = template;
      const tasks = Array.from({ length: days }, (_, n) => {
        const window = { window_start: day(n), window_end: day(n + 1), deadline: day(n + 1) };
        return newRow(Task, { runtemplate_id, company_id, ...window, state: 'fulfilled' });
      });
      const ids = await tables.of(Task).insert(tasks);
      const jobs = ids.map((task_id) =>
        newRow(Job, { runtemplate_id, company_id, app_id, task_id, state: 'succeeded', scheduled_at: day(0), ...job }),
      );
      return tables.of(Job).insert(jobs);
    });

  beforeEach(() => {
    core = new MemoryCore();
  });

  it('is rejected with the names of the records that refer to it', async () => {
    const { app, company, template } = await companyWithTemplate();
    for (const code of ['b', 'c', 'd', 'e']) {
      const more = { name: code, app_id: app.id, company_id: company.id, interval: 'none' };
      await save('RunTemplate', more);
    }
    await history(template, 1);
    const before = await counts();
    const error = await refusal(deleteRecord('App', app.id));
    expect([error.code, error.message]).to.deep.equal([
      'conflict',
      `App ${app.id} cannot be deleted, because it is still referenced by RunTemplate 1, 2, 3 and 2 more (app_id); Job 1 (app_id).`,
    ]);
    expect(await counts()).to.deep.equal(before);
  });

  it('is rejected because of references in lists of ids as well', async () => {
    const { template, app, company } = await companyWithTemplate();
    const topic = await save('Topic', { name: 'money' });
    const credential = await save('Credential', { name: 'bank', company_id: company.id });
    await save('RunTemplate', { id: template.id, topics: [topic.id], credentials: [credential.id] });
    await save('App', { id: app.id, topics: [topic.id] });
    expect((await refusal(deleteRecord('Topic', topic.id))).message).to.include(
      'App 1 (topics); RunTemplate 1 (topics)',
    );
    expect((await refusal(deleteRecord('Credential', credential.id))).message).to.include(
      'RunTemplate 1 (credentials)',
    );
  });

  it('does not reveal referring records that the actor may not see', async () => {
    const own = await companyWithTemplate();
    const foreign = await companyWithTemplate('other');
    const { id } = await save('Topic', { name: 't' });
    for (const { template } of [own, foreign]) await save('RunTemplate', { id: template.id, topics: [id] });
    const message = async (actor: Actor) => (await refusal(deleteRecord('Topic', id, {}, actor))).message;
    expect(await message(user(5, ['editor']))).to.equal(
      `Topic ${id} cannot be deleted, because it is still referenced by records that you may not see.`,
    );
    expect(await message(user(5, ['editor'], { [own.company.id]: 'viewer' }))).to.equal(
      `Topic ${id} cannot be deleted, because it is still referenced by RunTemplate ${own.template.id} (topics); records that you may not see.`,
    );
  });

  it('deletes the roles, tokens and memberships of a user, and the schedule of a template', async () => {
    const { company, template } = await companyWithTemplate();
    const id = await core.addUser('eva', 'a long enough one', 'editor');
    await core.createToken('eva');
    await save('CompanyUser', { user_id: id, company_id: company.id, role: 'operator' });
    await deleteRecord('User', id);
    expect(await counts()).to.deep.equal({ App: 1, Company: 1, RunTemplate: 1 });
    expect(await deletions()).to.have.members(['User 1', 'UserRoles 1', 'Token 1', 'CompanyUser 1']);
    await deleteRecord('RunTemplate', template.id);
    expect(await core.store.read((tables) => tables.of(Schedule).count())).to.equal(0);
  });

  it('deletes the memberships of a company, with an audit entry for each', async () => {
    const { id: company_id } = await save('Company', { code: 'acme', name: 'Acme' });
    const user_id = await core.addUser('eva', 'a long enough one', null);
    await save('CompanyUser', { user_id, company_id, role: 'operator' });
    await deleteRecord('Company', company_id);
    expect(await counts()).to.deep.equal({ User: 1 });
    expect(await deletions()).to.have.members(['Company 1', 'CompanyUser 1']);
  });

  it('keeps the jobs of a deleted user, with launched_by null', async () => {
    const { template } = await companyWithTemplate();
    const id = await core.addUser('eva', 'a long enough one', null);
    const [job] = await history(template, 1, { launched_by: id });
    await deleteRecord('User', id);
    expect(await core.records(Job).get(root, job as number)).to.include({ launched_by: null, revision: 2 });
  });

  it('deletes the output and the artifacts of a job', async () => {
    const { template } = await companyWithTemplate();
    const [id] = (await history(template, 1)) as [number];
    await inStore(async (tables) => {
      const bytes = new TextEncoder().encode('hello');
      await tables.of(JobOutput).insert([newRow(JobOutput, { job_id: id, stream: 'stdout', at: 0, data: bytes })]);
      await storeArtifacts(tables, { id, company_id: template.company_id }, [
        { filename: 'a', contentType: 'text/plain', sha256: 'x', content: bytes },
      ]);
    });
    await deleteRecord('Job', id);
    for (const table of [JobOutput, Artifact, ArtifactContent] as TableDescription[])
      expect(await core.store.read((tables) => tables.of(table).count()), table.name).to.equal(0);
    expect(await deletions()).to.have.members([`Job ${id}`, 'Artifact 1']);
  });

  it('is denied to all but administrators for an attempt of a Task, which is evidence', async () => {
    const { template, company } = await companyWithTemplate();
    const { id: runtemplate_id, app_id, company_id } = template;
    const [attempt] = (await history(template, 1)) as [number];
    const adHoc = { runtemplate_id, app_id, company_id, state: 'succeeded', scheduled_at: day(0) } as const;
    const [other] = (await inStore((tables) => tables.of(Job).insert([newRow(Job, adHoc)]))) as [number];
    const companyAdmin = user(999, [], { [company.id]: 'admin' });
    const jobs = core.records(Job);
    expect((await refusal(jobs.delete(companyAdmin, attempt))).message).to.equal(
      'user 999 may not delete an attempt of Task 1: that takes the role admin.',
    );
    await jobs.delete(companyAdmin, other);
    await jobs.delete(root, attempt);
  });

  it('is rejected for a job that has not ended', async () => {
    const { template } = await companyWithTemplate();
    const job = await core.jobs.schedule(root, { runtemplate_id: template.id, scheduled_at: '2099-01-01T00:00:00Z' });
    expect((await refusal(deleteRecord('Job', job.id))).message).to.equal(
      `Job ${job.id} is scheduled: cancel it before it is deleted.`,
    );
  });

  describe('with cascade', () => {
    it('deletes all records that refer to it, with an audit entry for each, and no other records', async () => {
      const { company, template, app } = await companyWithTemplate();
      const foreign = await companyWithTemplate('other');
      const credential = await save('Credential', { name: 'c', company_id: company.id });
      await save('RunTemplate', { id: template.id, credentials: [credential.id] });
      const chained = { name: 'then', app_id: app.id, company_id: company.id, interval: 'none' };
      const next = await save('RunTemplate', chained);
      await save('EventRule', { runtemplate_source_id: template.id, runtemplate_id: next.id });
      await core.jobs.schedule(root, { runtemplate_id: next.id, scheduled_at: '2099-01-01T00:00:00Z' });
      await history(template, 3);
      await history(foreign.template, 2);
      const entries = await core.store.read((tables) => tables.of(AuditLog).count());
      await deleteRecord('Company', company.id, { cascade: true });
      expect(await counts()).to.deep.equal({ App: 2, Company: 1, RunTemplate: 1, Task: 2, Job: 2 });
      expect(await deletions()).to.have.members(
        ['Company 1', 'Credential 1', 'RunTemplate 1', 'RunTemplate 3', 'EventRule 1'].concat([
          'Task 1',
          'Task 2',
          'Task 3',
          // The rule listens to its template, so that the end of each job is an event.
          'Event 1',
          'Event 2',
          'Event 3',
          'Job 1',
          'Job 2',
          'Job 3',
          'Job 4',
        ]),
      );
      // The scheduled job is cancelled first, which is an entry as well.
      expect(await core.store.read((tables) => tables.of(AuditLog).count())).to.equal(entries + 16);
    });

    it('removes its id from lists in other records, and does not delete those records', async () => {
      const { template, app } = await companyWithTemplate();
      const deleted = await save('Topic', { name: 'a' });
      const remaining = await save('Topic', { name: 'b' });
      await save('RunTemplate', { id: template.id, topics: [remaining.id, deleted.id] });
      await save('App', { id: app.id, topics: [deleted.id] });
      await deleteRecord('Topic', deleted.id, { cascade: true });
      expect((await core.records('RunTemplate').get(root, template.id)) as AnyRow).to.deep.include({
        topics: [remaining.id],
      });
      expect((await core.records('App').get(root, app.id)) as AnyRow).to.deep.include({ topics: [] });
    });

    it('is denied to all users except admins', async () => {
      const { company, template } = await companyWithTemplate();
      const manager = user(5, ['editor'], { [company.id]: 'admin' });
      const error = await refusal(deleteRecord('RunTemplate', template.id, { cascade: true }, manager));
      expect([error.code, error.message]).to.deep.equal([
        'denied',
        `user 5 may not delete what refers to RunTemplate ${template.id}: that takes the role admin.`,
      ]);
      await deleteRecord('RunTemplate', template.id, { cascade: true }, user(6, ['admin']));
    });

    it('is rejected while one of its jobs runs', async () => {
      const { company, app, template } = await companyWithTemplate();
      const [id] = (await history(template, 2)) as [number];
      await inStore(async (tables) => {
        const [row] = await tables.of(Job).find({ where: [['id', '=', id]] });
        await tables.of(Job).update([{ row: row as AnyRow, set: { state: 'running' } }]);
      });
      const before = await counts();
      for (const [name, record] of [
        ['Company', company],
        ['App', app],
        ['RunTemplate', template],
      ] as const) {
        const error = await refusal(deleteRecord(name, record.id, { cascade: true }));
        expect([error.code, error.message]).to.deep.equal([
          'conflict',
          `Job ${id} is running: cancel it before it is deleted.`,
        ]);
      }
      expect(await counts()).to.deep.equal(before);
    });

    it('is rejected when it would change more than 10 000 records, with their number', async () => {
      const { template } = await companyWithTemplate();
      await history(template, 5000);
      const error = await refusal(deleteRecord('RunTemplate', template.id, { cascade: true }));
      expect([error.code, error.message]).to.deep.equal([
        'conflict',
        `Deleting RunTemplate ${template.id} would change 10001 records; at most 10000 can be changed at once.`,
      ]);
      const last = (await core.records(Job).list(root, { limit: 1 })).rows[0]?.id as number;
      await deleteRecord('Job', last);
      await deleteRecord('RunTemplate', template.id, { cascade: true });
      expect(await counts()).to.deep.equal({ App: 1, Company: 1 });
    });

    it('is rejected when the records would have more than 64 MiB, without reading the rest of them', async () => {
      const { template } = await companyWithTemplate();
      await history(template, 300, { environment: { BIG: 'x'.repeat(1_000_000) } });
      const before = await counts();
      const reads = recordReads(core);
      const error = await refusal(deleteRecord('RunTemplate', template.id, { cascade: true }));
      expect([error.code, error.message]).to.deep.equal([
        'conflict',
        `Deleting RunTemplate ${template.id} would delete more than 64 MiB at once; delete some of its Job records first.`,
      ]);
      expect(reads.filter(({ table, columns }) => table === 'Job' && !columns)).to.have.length(1);
      expect(await counts()).to.deep.equal(before);
    });

    it('is rejected for the last super_admin', async () => {
      const id = await core.addUser('root', 'a long enough one');
      expect((await refusal(deleteRecord('User', id, { cascade: true }))).code).to.equal('conflict');
    });
  });
});
