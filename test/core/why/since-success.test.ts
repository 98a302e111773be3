import {
  App,
  type ChangesSinceSuccess,
  Company,
  Job,
  type JobRow,
  mask,
  RunTemplate,
  type RunTemplateRow,
  type TaskRow,
} from '@horarium/core';
import { expect } from 'chai';
import type { Runner } from '#core/worker/runner';
import { user } from '../../support/worlds/record-world.ts';
import { runUntilIdle } from '../../support/worlds/runner-world.ts';
import { UntrappedWorld, WhyWorld } from './why-world.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

describe('The explanation what has changed since the last success', () => {
  let world: WhyWorld;

  let runner: Runner;

  beforeEach(() => {
    world = new WhyWorld();
  });

  /** Runs the next window of the template, whose attempt takes that long. */
  async function runWindow(exitCode: number, duration = minute): Promise<void> {
    await runner.tick();
    await world.schedule();
    await runUntilIdle(runner);
    await world.endLast(runner, exitCode, duration);
    await world.time.pass(hour - duration);
  }

  async function start(template: Partial<RunTemplateRow> = {}): Promise<void> {
    await world.template({ name: 'Sync', overlap: 'allow', ...template });
    runner = world.worker();
    await runWindow(0);
  }

  it('lists what was saved of the template, its App and its company, and by whom', async () => {
    await start();
    await world.edit(1, { note: 'new' });
    await world.setRecord(App, 1, { version: '2.0' });
    await world.setRecord(Company, 1, { max_running: 5 });
    await runWindow(3);
    await world.edit(1, { note: 'newer' });
    const { sentence, since_success } = await world.why('Task', 2);
    expect(sentence).to.equal('Task 2 of Sync (Acme), window 06:00, failed at 06:01: exit code 3');
    expect(since_success).to.include({
      job_id: 1,
      fulfilled_before: 1,
      further: 0,
      hidden: 0,
      archived_before: null,
    });
    expect(
      since_success?.changes.map(({ actor, channel, entity_type, name, changes }) => [
        actor,
        channel,
        entity_type,
        name,
        changes,
      ]),
    ).to.deep.equal([
      ['anna', 'http', 'Company', 'Acme', { max_running: [null, 5] }],
      ['anna', 'http', 'App', 'work', { version: [null, '2.0'] }],
      ['anna', 'http', 'RunTemplate', 'Sync', { note: [null, 'new'] }],
    ]);
    const ofTemplate = await world.why('RunTemplate', 1);
    expect(ofTemplate.since_success?.changes).to.have.length(4);
    expect(ofTemplate.sentence).to.include('; its last Task, 2, failed at 06:01: exit code 3');
  });

  it('names the change that undid another, also after the run, and none once it is in force again', async () => {
    await start();
    await world.edit(1, { note: 'new' });
    await world.setRecord(App, 1, { version: '2.0' });
    await runWindow(3);
    const changes = async () => (await world.why('Task', 2)).since_success?.changes ?? [];
    expect((await changes()).map(({ undone_by }) => undone_by)).to.deep.equal([null, null]);
    await world.edit(1, { note: null });
    const [ofApp, ofTemplate] = await changes();
    expect(ofApp).to.include({ entity_type: 'App', undone_by: null });
    const undoing = (await world.why('RunTemplate', 1)).since_success?.changes[0];
    expect(undoing?.changes).to.deep.equal({ note: ['new', null] });
    const { auditlog_id, at, actor } = undoing ?? {};
    expect(ofTemplate?.undone_by).to.deep.equal({ auditlog_id, at, actor });
    expect(undoing?.undone_by).to.equal(null);
    // What follows leaves it undone, until it is saved again.
    await world.edit(1, { note: 'other' });
    expect((await changes())[1]?.undone_by?.auditlog_id).to.equal(auditlog_id);
    await world.edit(1, { note: 'new' });
    expect((await changes())[1]?.undone_by).to.equal(null);
  });

  it('compares the host, the version of the App, the variables and the duration', async () => {
    await start();
    await world.setRecord(App, 1, { version: '2.0', arguments: ['--fast'] });
    await world.time.pass(20 * second);
    runner = world.worker();
    await runWindow(1, 10 * minute);
    const { since_success } = await world.why('Job', 2);
    expect(since_success?.differences).to.deep.equal([
      { what: 'host', before: 'host1', after: 'host2' },
      { what: 'app_version', before: null, after: '2.0' },
      { what: 'arguments', before: '[]', after: '["--fast"]' },
      { what: 'duration', before: 'usually 1 min', after: '10 min' },
    ]);
  });

  it('shows of long values the part that differs', async () => {
    const same = 'x'.repeat(500);
    await world.template({ name: 'Sync', overlap: 'allow' });
    runner = world.worker();
    await world.setRecord(App, 1, { arguments: [`${same}one${same}`] });
    await runWindow(0);
    await world.setRecord(App, 1, { arguments: [`${same}two${same}`] });
    await runWindow(1);
    const { since_success } = await world.why('Job', 2);
    const shown = (part: string) => `…${'x'.repeat(50)}${part}${'x'.repeat(147)}…`;
    expect(since_success?.differences).to.deep.equal([
      { what: 'arguments', before: shown('one'), after: shown('two') },
    ]);
  });

  it('takes an ad hoc job for the last success, if it succeeded later', async () => {
    await start();
    const job = await world.request(
      (await world.audited.read((tables) => tables.of(RunTemplate).find()))[0] as RunTemplateRow,
    );
    await runUntilIdle(runner);
    await world.endLast(runner, 0);
    await runWindow(1);
    expect((await world.why('RunTemplate', 1)).since_success?.job_id).to.equal(job);
  });

  it('explains a missed Task, and one that was fulfilled late by the last one in time', async () => {
    await start({ deadline: '+10m', allow_late: true, catch_up: 'none' });
    await runWindow(0, 20 * minute);
    expect(await world.why('Task', 2)).to.nested.include({ 'since_success.job_id': 1 });
    await world.edit(1, { note: 'why' });
    await world.time.pass(2 * hour);
    await world.schedule();
    const { id } = (await world.allTasks()).find(({ state }) => state === 'missed') as TaskRow;
    const missed = await world.why('Task', id);
    expect(missed.sentence).to.include(', was missed at ');
    expect(missed.since_success).to.include({ job_id: 2 });
    expect(missed.since_success?.changes).to.have.length(1);
  });

  it('begins with the template where no attempt has ever succeeded', async () => {
    await world.template({ name: 'Sync' });
    runner = world.worker();
    await world.time.pass(minute);
    await world.edit(1, { note: 'first' });
    await runWindow(1);
    const { since_success } = await world.why('Task', 1);
    expect(since_success).to.include({ job_id: null });
    expect(since_success?.changes.map(({ action }) => action)).to.deep.equal(['update']);
  });

  it('explains the last ad hoc job of a template without windows', async () => {
    const template = await world.template({ name: 'Import', interval: 'none', overlap: 'allow' });
    runner = world.worker();
    for (const exitCode of [0, 1]) {
      await world.request(template);
      await runUntilIdle(runner);
      await world.endLast(runner, exitCode);
    }
    const { sentence, since_success } = await world.why('RunTemplate', template.id);
    expect(sentence).to.include('; its last job, 2, failed at 05:02: exit code 1');
    expect(since_success).to.include({ job_id: 1, fulfilled_before: null });
  });

  it('counts the changes that the actor may not read, and lists the newest', async () => {
    await start();
    for (let change = 0; change < 55; change += 1) await world.edit(1, { note: `${change}` });
    await world.setRecord(App, 1, { version: '2.0' });
    await runWindow(1);
    const all = (await world.why('Task', 2)).since_success;
    expect(all?.changes).to.have.length(50);
    expect(all).to.include({ further: 6, hidden: 0 });
    const own = (await world.why('Task', 2, user(7, [], { 1: 'viewer' }))).since_success;
    expect(own).to.include({ further: 5, hidden: 1 });
    expect(own?.changes.every(({ entity_type }) => entity_type === 'RunTemplate')).to.equal(true);
  });

  it('lists as many changes as an answer may have, if they are large', async () => {
    await start();
    const note = (letter: string) => letter.repeat(60_000);
    for (const letter of 'abcdefghijklmnopqrst') await world.edit(1, { note: note(letter) });
    await runWindow(1);
    const { changes, further } = (await world.why('Task', 2)).since_success as ChangesSinceSuccess;
    expect(changes[0]?.changes).to.deep.equal({ note: [note('s'), note('t')] });
    expect(changes.length).to.be.within(5, 10);
    expect(changes.length + further).to.equal(20);
  });

  it('masks both values of a variable that was declared secret between two attempts', async () => {
    await start();
    await runWindow(1);
    await setEnvironment(1, { TOKEN: 'in the clear', PLAIN: 'one' });
    await setEnvironment(2, { TOKEN: mask, PLAIN: 'two' });
    const { differences } = (await world.why('Task', 2)).since_success as ChangesSinceSuccess;
    expect(differences).to.deep.equal([{ what: 'environment.PLAIN', before: 'one', after: 'two' }]);
  });

  async function setEnvironment(id: number, environment: JobRow['environment']): Promise<void> {
    const row = await world.job(id);
    await world.audited.transaction(world.actor, (tables) => tables.of(Job).update([{ row, set: { environment } }]));
  }

  it('leaves entries out that the service did not write', async () => {
    const untrapped = new UntrappedWorld();
    world = untrapped;
    await start();
    await world.edit(1, { note: 'true' });
    await runWindow(1);
    await untrapped.forge('RunTemplate');
    expect((await world.why('Task', 2)).since_success).to.deep.include({ changes: [], further: 0 });
  });

  it('says from when on changes are known, if earlier ones have left the store', async () => {
    const untrapped = new UntrappedWorld();
    world = untrapped;
    await start();
    await world.edit(1, { note: 'first' });
    await world.time.pass(minute);
    const kept = world.time.now;
    await world.edit(1, { note: 'second' });
    await runWindow(1);
    const before = (await world.why('Task', 2)).since_success;
    expect(before).to.deep.include({ archived_before: null });
    await untrapped.archive(kept);
    const { since_success } = await world.why('Task', 2);
    expect(since_success).to.include({ archived_before: kept, since: before?.since });
    expect(since_success?.changes.map(({ changes }) => changes['note'])).to.deep.equal([['first', 'second']]);
    await untrapped.archive(Infinity);
    const none = (await world.why('Task', 2)).since_success;
    expect(none?.changes).to.deep.equal([]);
    expect(none?.archived_before).to.be.greaterThan(kept);
  });
});
