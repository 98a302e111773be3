import { formatInstant } from '@horarium/core';
import { expect } from 'chai';
import { undoIn } from '#core/records/undo/undo';
import {
  type AnyRow,
  type RecordWorld,
  recordsContext,
  recordWorld,
  refusal,
  root,
  smallCompany,
  user,
} from '../../support/worlds/record-world.ts';

describe('Undoing a change', () => {
  let world: RecordWorld;
  let template: AnyRow;

  beforeEach(async () => {
    world = recordWorld();
    ({ template } = await smallCompany(world));
  });

  /** Undoes the change that an entry of the audit log holds. */
  const undo = (entryId: number, actor = root) =>
    world.store.transaction(actor, (tables) => undoIn(recordsContext(world.store), tables, actor, entryId));

  async function newestEntry(): Promise<number> {
    return (await world.audit()).at(-1)?.id ?? 0;
  }

  async function edit(set: object, actor = root): Promise<number> {
    await world.save('RunTemplate', { id: template.id, ...set }, actor);
    return newestEntry();
  }

  it('saves the values from before, and is a change in the audit log itself', async () => {
    const before = { deadline: '06:00', delay: 60, ends_at: '2027-01-01T00:00:00.000Z', max_running: 3, note: null };
    await edit({ ...before, environment: {} });
    const entry = await edit({ deadline: '08:00', delay: 0, ends_at: null, max_running: null, note: 'later' });
    const undone = await undo(entry, user(5, ['admin']));
    expect(undone).to.deep.include({
      auditlog_id: entry,
      entity_type: 'RunTemplate',
      entity_id: template.id,
      warnings: [],
    });
    expect(undone.changes).to.deep.equal({
      deadline: ['08:00', '06:00'],
      delay: [0, 60],
      ends_at: [null, '2027-01-01T00:00:00.000Z'],
      max_running: [null, 3],
      note: ['later', null],
    });
    const { deadline, delay, ends_at, note } = await world.records('RunTemplate').get(root, template.id);
    expect({ deadline, delay, ends_at, note }).to.deep.equal({
      deadline: '06:00',
      delay: 60,
      ends_at: Date.UTC(2027, 0, 1),
      note: null,
    });
    const [last] = (await world.audit()).slice(-1);
    expect(last).to.deep.include({ actor: 'user 5', changes: undone.changes });
    // The undoing is undone like any other change.
    await undo(last?.id as number);
    expect((await world.records('RunTemplate').get(root, template.id)).deadline).to.equal('08:00');
  });

  it('leaves alone what was changed otherwise since, and refuses what was changed again', async () => {
    const entry = await edit({ deadline: '08:00' });
    await edit({ delay: 60 });
    await undo(entry);
    expect(await world.records('RunTemplate').get(root, template.id)).to.include({ deadline: null, delay: 60 });
    const first = await edit({ deadline: '09:00' });
    const second = await edit({ deadline: '10:00', delay: 0 });
    const error = await refusal(undo(first));
    expect(error).to.include({
      code: 'conflict',
      message: `Entry ${first} cannot be undone: root has changed deadline since (entry ${second}). Undo that one first.`,
    });
    await undo(second);
    await undo(first);
    expect(await world.records('RunTemplate').get(root, template.id)).to.include({ deadline: null, delay: 60 });
  });

  it('refuses what was undone, names who did that, and allows it again once the change is saved again', async () => {
    const entry = await edit({ deadline: '08:00' });
    await undo(entry, user(5, ['admin']));
    const undoing = (await world.audit()).at(-1);
    expect((await refusal(undo(entry))).message).to.equal(
      `Entry ${entry} cannot be undone: user 5 has undone it at ${formatInstant(undoing?.created_at ?? 0)} (entry ${undoing?.id}).`,
    );
    await undo(undoing?.id as number);
    await undo(entry);
    expect((await world.records('RunTemplate').get(root, template.id)).deadline).to.equal(null);
  });

  it('reads all entries of a record that was changed often', async () => {
    const entry = await edit({ deadline: '08:00' });
    for (let change = 0; change < 120; change += 1) await edit({ delay: change + 1 });
    await edit({ deadline: '09:00' });
    expect((await refusal(undo(entry))).message).to.include('root has changed deadline since');
  });

  it('keeps secrets as they are, with a warning, and refuses a change of nothing else', async () => {
    const fields = [
      { keyword: 'PGHOST', type: 'string' },
      { keyword: 'PGPASSWORD', type: 'secret' },
    ];
    const type = await world.save('CredentialType', { code: 'db', name: 'db', fields });
    const given = { name: 'db', company_id: template.company_id, credential_type_id: type.id };
    const values = { PGHOST: 'old', PGPASSWORD: 'first secret' };
    const { id } = await world.save('Credential', { ...given, values });
    await world.save('Credential', { id, values: { PGHOST: 'new', PGPASSWORD: 'second secret' } });
    const { values: stored } = await world.records('Credential').get(root, id);
    const undone = await undo(await newestEntry());
    expect(undone.warnings).to.deep.equal(['The secrets in values keep their present values.']);
    const after = (await world.records('Credential').get(root, id)).values;
    expect(after).to.deep.equal({ ...stored, PGHOST: 'old' });
    const login = await world.save('User', { login: 'anna', password: 'a long first password' });
    await world.save('User', { id: login.id, password: 'a long second password' });
    const error = await refusal(undo(await newestEntry()));
    expect(error.code).to.equal('conflict');
    expect(error.message).to.include('password keeps its present value: its former one is secret');
  });

  it('refuses what was not a change of a field', async () => {
    const created = (await world.audit()).find(({ entity_type }) => entity_type === 'Company')?.id ?? 0;
    expect((await refusal(undo(created))).message).to.equal(
      `Entry ${created} cannot be undone: it created Company ${template.company_id}, which can be deleted.`,
    );
    await world.records('RunTemplate').delete(root, template.id);
    const deleted = await newestEntry();
    expect((await refusal(undo(deleted))).message).to.equal(
      `Entry ${deleted} cannot be undone: it deleted RunTemplate ${template.id}, and its secrets with it.`,
    );
  });

  it('is allowed to those who may read the entry and save the record', async () => {
    const entry = await edit({ deadline: '08:00' });
    const company = template.company_id as number;
    expect(await refusal(undo(entry, user(7, [], { 99: 'manager' })))).to.include({
      code: 'not_found',
      message: `There is no AuditLog ${entry}.`,
    });
    expect(await refusal(undo(entry, user(7, [], { [company]: 'viewer' })))).to.include({ code: 'denied' });
    await undo(entry, user(7, [], { [company]: 'manager' }));
  });

  it('checks the former values like any others', async () => {
    await edit({ interval: 'custom', cron: '0 * * * *' });
    const entry = await edit({ interval: 'hourly', cron: null });
    await undo(entry);
    const { interval, cron } = await world.records('RunTemplate').get(root, template.id);
    expect({ interval, cron }).to.deep.equal({ interval: 'custom', cron: '0 * * * *' });
    const renamed = await world.save('Company', { code: 'other', name: 'other' });
    await world.save('Company', { id: renamed.id, code: 'moved' });
    const change = await newestEntry();
    await world.save('Company', { code: 'other', name: 'another one' });
    expect(await refusal(undo(change))).to.include({ code: 'conflict' });
  });
});
