import {
  allResources,
  type Company,
  type CompanyInput,
  type Core,
  choice,
  defineResource,
  type Fields,
  type InputOf,
  type NewJob,
  RunTemplate,
  type RunTemplateInput,
  type RunTemplateRow,
  text,
  unchecked,
} from '@horarium/core';
import { expect } from 'chai';
import { refusal } from '../../support/worlds/record-world.ts';
import { EmbeddingWorld } from './embedding-world.ts';

/** Is compiled with the tests, but never run: each line after `@ts-expect-error` must fail to compile. */
async function uses(core: Core): Promise<void> {
  const me = core.actor('the shop');
  const { apps, companies, companyUsers, credentials, runTemplates, jobs, tasks } = core;

  await runTemplates.save(me, { name: 'x', interval: 'daily' });
  // @ts-expect-error no such field
  await runTemplates.save(me, { nme: 'x', interval: 'daily' });
  // @ts-expect-error no such interval
  await runTemplates.save(me, { name: 'x', interval: 'dayly' });
  await runTemplates.save(me, { id: 1, interval: 'd' });
  // @ts-expect-error an id is a number
  await runTemplates.save(me, { id: '1' });
  await core.store.transaction(me, (tables) => core.records(RunTemplate).saveIn(tables, me, { name: 'x' }));
  // @ts-expect-error no such field, in the caller's transaction either
  await core.store.transaction(me, (tables) => core.records(RunTemplate).saveIn(tables, me, { nme: 'x' }));
  // @ts-expect-error no such field, in a transaction of the program either
  await core.with(core.store as never).runTemplates.save(me, { nme: 'x' });

  // Times are texts of RFC 3339 or milliseconds since 1970.
  await runTemplates.save(me, { starts_at: '2026-11-21T05:00:00Z', ends_at: Date.UTC(2027, 0) });
  // @ts-expect-error a date is neither
  await runTemplates.save(me, { starts_at: new Date() });
  // Null unsets a field, or sets it to its default.
  await runTemplates.save(me, { note: null, timeout: null, overlap: null, environment: null, credentials: null });
  // @ts-expect-error each has a name
  await runTemplates.save(me, { name: null });

  // Seconds may be a duration.
  await runTemplates.save(me, { timeout: '30s', retry_delay: 5 });
  // @ts-expect-error no duration
  await runTemplates.save(me, { timeout: 'soon' });

  // Lists may be readonly, and arguments one text.
  const args: readonly string[] = ['-c', 'true'];
  await apps.save(me, { arguments: args, tags: ['a'] });
  await apps.save(me, { arguments: '-c true' });
  // @ts-expect-error tags are a list
  await apps.save(me, { tags: 'a' });
  await apps.save(me, {
    environment: { PORT: { type: 'integer', required: true } },
    exit_codes: { 2: { retry: false } },
  });
  // @ts-expect-error no such type of a variable
  await apps.save(me, { environment: { PORT: { type: 'colour' } } });
  await companies.save(me, { on_failure: [{ action: 'email', to: 'ops@acme.example' }], settings: { any: ['thing'] } });
  await credentials.save(me, { name: 'x', company_id: 1, values: { USER: 'a', PORT: 5, FORCE: true, NONE: null } });

  // The service sets the others.
  // @ts-expect-error a field that is only shown
  await core.eventSources.save(me, { last_error: 'x' });
  // @ts-expect-error a hidden field
  await apps.save(me, { cipher_key: 'x' });
  // @ts-expect-error a field of every record
  await apps.save(me, { created_at: 0 });

  // A record may be named in place of its id.
  await companyUsers.save(me, { company_id: 1, login: 'jana', role: 'manager' });
  // @ts-expect-error by a text
  await companyUsers.save(me, { company_id: 1, login: 5 });

  await jobs.schedule(me, { runtemplate_id: 1, environment: { ORDER: '1' }, scheduled_at: 'now' });
  // @ts-expect-error no such field
  await jobs.schedule(me, { runtemplate: 1 });
  // @ts-expect-error values are texts
  await jobs.schedule(me, { runtemplate_id: 1, environment: { ORDER: 1 } });
  // @ts-expect-error the service sets the state of a new job
  await jobs.schedule(me, { runtemplate_id: 1, state: 'running' });
  await jobs.change(me, 1, { state: 'cancelled' });
  // @ts-expect-error the service sets what became of a job
  await jobs.change(me, 1, { exit_code: 0 });
  // @ts-expect-error nothing of a job is unset
  await jobs.change(me, 1, { executor: null });

  await core.every('daily', 'work', () => undefined, { starts_at: '2026-11-21T05:00:00Z', overlap: 'allow' });
  // @ts-expect-error no such option
  await core.every('daily', 'work', () => undefined, { overlaps: 'allow' });

  // What nobody has typed is passed so that one sees it.
  await runTemplates.save(me, unchecked(JSON.parse('{"nme": "x"}')));
  const [any] = allResources;
  if (any) await core.records(any).save(me, { nme: 'x' });
  await core.records('Topic').save(me, { nme: 'x' });

  const own = defineResource({
    name: 'Holiday',
    names: { singular: 'holiday', plural: 'holidays', id: 'holidayId' },
    description: 'A day.',
    example: {},
    operations: ['save'],
    permissions: RunTemplate.permissions,
    company: null,
    fields: { name: text(64).required(), seen: text(64, { readOnly: true }) },
  });
  await core.records(own).save(me, { name: 'x' });
  // @ts-expect-error a field that the service sets
  await core.records(own).save(me, { name: 'x', seen: 'y' });

  // @ts-expect-error no such property of a field
  text(64, { unique: true, descripton: 'x' });
  // @ts-expect-error nor of a choice
  choice(['a'], { meanings: { a: 'x' }, descripton: 'x' });
  // @ts-expect-error no such value
  choice(['a'], { meanings: { a: 'x', b: 'y' } });

  // A row has all columns, with the values that are stored.
  const row: RunTemplateRow = await runTemplates.get(me, 1);
  const starts: number | null = row.starts_at;
  // @ts-expect-error no such column
  row.nme;
  const template: RunTemplateInput = { starts_at: starts };
  const company: CompanyInput = {} satisfies InputOf<Fields>;
  const job: NewJob = { task_id: (await tasks.get(me, 1)).id };
  void [template, company, job, {} as typeof Company];
}

describe('The types of input', () => {
  it('reject misuses, or else this file would not have compiled', () => {
    expect(uses).to.be.a('function');
  });

  it('say of fields that are unchecked nothing, which the save refuses', async () => {
    const core = new EmbeddingWorld().core();
    const save = core.runTemplates.save(core.actor('me'), unchecked({ nme: 'x', interval: 'dayly' }));
    const { errors } = await refusal(save);
    expect(errors.map(({ field }) => field)).to.include.members(['nme', 'interval']);
  });
});
