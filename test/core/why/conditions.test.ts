import {
  App,
  type ConditionName,
  conditionNames,
  type ExplainedKind,
  Job,
  type JobRow,
  Pause,
  Task,
  type TaskRow,
} from '@horarium/core';
import { expect } from 'chai';
import { jobStates } from '#core/job/job-states';
import { newRow } from '#core/store/table';
import { taskStates } from '#core/task/task';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { setClockAhead } from '../../support/store/set-clock-ahead.ts';
import { user } from '../../support/worlds/record-world.ts';
import { WhyWorld } from './why-world.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The world begins at 05:00 UTC. */
describe('The explanation why something runs or not', () => {
  let world: WhyWorld;

  beforeEach(() => {
    world = new WhyWorld();
  });

  const noWindows = { interval: 'none', overlap: 'allow' } as const;

  /** Makes each condition one that is not met. @returns what is asked about, and how its text begins. */
  const scenarios: Readonly<Record<ConditionName, () => Promise<readonly [ExplainedKind, number, text: string]>>> = {
    async clock() {
      await world.template({});
      await world.schedule();
      await setClockAhead(world.store, 24 * hour);
      return ['Task', 1, 'the clock of the database jumped ahead by 1 d, and the service goes on as if it had not'];
    },
    async active() {
      const { id } = await world.template({});
      await world.edit(id, { active: false });
      return ['RunTemplate', id, 'the run template is not active, by anna at 05:00 (http, entry '];
    },
    async app_enabled() {
      const template = await world.template({});
      await world.setRecord(App, template.app_id, { enabled: false });
      return ['RunTemplate', template.id, 'the App work is disabled, by anna at 05:00 (http, entry '];
    },
    async company_enabled() {
      const company_id = await world.company('Gone', { enabled: false });
      const { id } = await world.template({ company_id });
      return ['RunTemplate', id, 'the company Gone is disabled, by anna at 05:00 (http, entry '];
    },
    async paused() {
      const { id } = await world.template({});
      await world.schedule();
      const pause = { starts_at: world.time.now, until: world.time.now + 2 * hour, paused_by: 'anna', reason: 'lunch' };
      await world.audited.transaction(world.actor, (tables) => tables.of(Pause).insert([newRow(Pause, pause)]));
      return ['RunTemplate', id, 'paused by anna until 07:00: lunch'];
    },
    async startable() {
      const { id } = await world.template({ executor_options: { user: 'refused' } });
      return ['RunTemplate', id, 'its jobs cannot start: refused is no user of jobs'];
    },
    async started() {
      const { id } = await world.template({ starts_at: world.time.now + hour });
      return ['RunTemplate', id, 'its windows begin at 06:00 (starts_at)'];
    },
    async not_ended() {
      const { id } = await world.template({ ends_at: world.time.now - hour });
      return ['RunTemplate', id, 'its windows ended at 04:00 (ends_at)'];
    },
    async calendar() {
      const calendar_id = await world.calendar({ name: 'Weekends', weekdays: ['saturday'] });
      const { id } = await world.template({ calendar_id });
      return [
        'RunTemplate',
        id,
        'the window of 05:00 began on a day off of the calendar Weekends (Saturday) and gets no Task; its next window begins at 2026-11-22 00:00',
      ];
    },
    async window() {
      const { id } = await world.template(noWindows);
      return ['RunTemplate', id, 'its interval is none: it runs only when'];
    },
    async tasks_made() {
      const { id } = await world.template({});
      await world.time.pass(hour + 2 * minute);
      return ['RunTemplate', id, 'the windows since 05:00 have no Tasks: no host of the service schedules'];
    },
    async owed() {
      const { id } = await world.template({});
      await world.schedule();
      await world.edit(id, { active: false });
      return ['Task', 1, 'the Task is not owed: the template was deactivated'];
    },
    async attempts() {
      await world.template({});
      await world.schedule();
      await world.audited.transaction(world.actor, (tables) => tables.of(Job).delete([['id', '=', 1]]));
      return ['Task', 1, '0 of 1 attempts have started, and none is scheduled'];
    },
    async deadline() {
      await world.template({ deadline: '+10m' });
      await world.schedule();
      await world.time.pass(11 * minute);
      return ['Task', 1, 'no attempt may start after 05:10: a scheduler ends its Task within a moment'];
    },
    async due() {
      await world.template({ delay: 1800 });
      await world.schedule();
      return ['Job', 1, 'job 1 is due at 05:30'];
    },
    async overlap() {
      const job = await world.request(await world.template({ ...noWindows, overlap: 'forbid' }), 2);
      await world.run();
      return ['Job', job, 'job 1 of RunTemplate 1 runs, and its overlap is forbid'];
    },
    async other_attempt() {
      const { id } = await world.template({ overlap: 'allow', max_attempts: 3 });
      await world.schedule();
      const runner = world.worker();
      await world.run(runner);
      const copy = { runtemplate_id: id, app_id: 1, company_id: 1, task_id: 1, attempt: 2 };
      const at = world.time.now;
      const attempt = newRow(Job, { ...copy, scheduled_at: at, queue_at: at });
      const [job] = await world.audited.transaction(world.actor, (tables) => tables.of(Job).insert([attempt]));
      await world.run(runner);
      return ['Job', job as number, 'job 1 runs, which is another attempt at its Task'];
    },
    async max_running() {
      const job = await world.request(await world.template({ ...noWindows, max_running: 1 }), 2);
      await world.run();
      return ['Job', job, 'RunTemplate 1 runs as many jobs as its max_running allows'];
    },
    async order() {
      const job = await world.request(await world.template({ ...noWindows, overlap: 'forbid' }), 2);
      await world.time.pass(second);
      const blocked = { queue_at: null };
      await world.audited.transaction(world.actor, (tables) => tables.of(Job).updateWhere([['id', '=', job]], blocked));
      return ['Job', job, 'older jobs of RunTemplate 1 start first'];
    },
    async company_max_running() {
      const company_id = await world.company('limited', { max_running: 1 });
      const job = await world.request(await world.template({ ...noWindows, company_id }), 2);
      await world.run();
      return ['Job', job, `company ${company_id} runs as many jobs as its max_running allows`];
    },
    async worker() {
      const job = await world.request(await world.template({ ...noWindows, executor: 'elsewhere' }));
      await world.run();
      return ['Job', job, 'no worker has the executor elsewhere: one must start, or a program elsewhere claim the job'];
    },
    async slots() {
      const job = await world.request(await world.template(noWindows), 11);
      await world.run();
      return ['Job', job, 'all slots of the workers are taken'];
    },
    async share() {
      const template = await world.template(noWindows);
      await world.company('other');
      const job = await world.request(template, 9);
      await world.run();
      return ['Job', job, 'company 1 holds its share of the slots'];
    },
  };

  for (const name of conditionNames)
    it(`names the condition ${name} where it is not met`, async () => {
      const [kind, id, text] = await scenarios[name]();
      const { conditions, sentence } = await world.why(kind, id);
      const found = conditions.find((each) => each.name === name);
      expect(found, sentence).to.include({ met: false });
      expect(found?.text.startsWith(text), found?.text).to.equal(true);
      const hindrance = conditions.find(({ met }) => !met)?.text as string;
      if (name !== 'owed') expect(sentence).to.include(hindrance);
    });

  it('lists every condition that is met, and says what comes next', async () => {
    await world.template({ name: 'Nightly', interval: 'daily', delay: 1800, starts_at: world.time.now - hour });
    await world.run();
    const { sentence, conditions, since_success } = await world.why('RunTemplate', 1);
    expect(sentence).to.equal(
      'Nightly (Acme) runs next: its next window begins at 2026-11-22 00:00, and its job is due at 2026-11-22 00:30',
    );
    expect(conditions.map(({ name, met }) => [name, met])).to.deep.equal(
      ['active', 'app_enabled', 'company_enabled', 'started', 'window', 'tasks_made', 'worker'].map((name) => [
        name,
        true,
      ]),
    );
    expect(since_success).to.equal(null);
  });

  it('tells what holds a Task up, after all that does not', async () => {
    await world.template({ name: 'Sync' });
    await world.schedule();
    await world.time.pass(2 * second);
    const { sentence, conditions } = await world.why('Task', 1);
    expect(sentence).to.equal(
      'Task 1 of Sync (Acme), window 05:00, waits: no worker has the executor native: one must start, or a program elsewhere claim the job',
    );
    expect(conditions.map(({ name, met }) => `${met ? '' : 'not '}${name}`)).to.deep.equal([
      'active',
      'app_enabled',
      'company_enabled',
      'owed',
      'attempts',
      'deadline',
      'due',
      'overlap',
      'other_attempt',
      'max_running',
      'order',
      'company_max_running',
      'not worker',
    ]);
  });

  it('names the lack of a worker for a template that has no job yet', async () => {
    const { id } = await world.template({});
    const none = (await world.why('RunTemplate', id)).conditions.at(-1);
    expect(none).to.include({ name: 'worker', met: false });
    expect(none?.text).to.equal('no worker runs: start the service (horarium serve)');
    await world.run();
    expect((await world.why('RunTemplate', id)).conditions.at(-1)?.text).to.equal(
      'a live worker on host1 has its executor native',
    );
    const claimed = await world.template({ executor: 'external' });
    expect((await world.why('RunTemplate', claimed.id)).conditions.at(-1)).to.include({ name: 'worker', met: true });
    const other = await world.template({ executor: 'http' });
    expect((await world.why('RunTemplate', other.id)).sentence).to.include(
      'does not run: no worker has the executor http: a host with its plugin must start',
    );
  });

  it('says that a job runs, and that it is being stopped', async () => {
    await world.startFirstJob({ name: 'Sync' });
    expect((await world.why('RunTemplate', 1)).sentence).to.equal('Sync (Acme): job 1 runs since 05:00 on host1');
    expect((await world.why('Task', 1)).sentence).to.equal(
      'Task 1 of Sync (Acme), window 05:00, is running: job 1 runs since 05:00 on host1',
    );
    await world.jobs.cancel(world.actor, 1, 'wrong day');
    expect((await world.why('Job', 1)).sentence).to.equal(
      'job 1 of Sync (Acme): job 1 runs since 05:00 on host1, and is being stopped: wrong day',
    );
  });

  it('says that a worker will take a job, when nothing holds it up', async () => {
    const template = await world.template(noWindows);
    await world.run();
    await world.request(template);
    expect((await world.why('Job', 1)).sentence).to.include('waits: a worker takes it with its next claim');
    expect((await world.why('RunTemplate', template.id)).sentence).to.include('runs next: a worker takes it');
  });

  it('has an answer for a Task and for a job in every state', async () => {
    await world.template({ name: 'Sync' });
    await world.schedule();
    for (const state of taskStates) {
      await world.audited.transaction(world.actor, async (tables) => {
        const [row] = await tables.of(Task).find();
        const set = { state, reason: `${state} for a reason`, ended_at: world.time.now };
        await tables.of(Task).update([{ row: row as TaskRow, set }]);
      });
      const { sentence } = await world.why('Task', 1);
      expect(sentence).to.match(/ (is running|waits|was fulfilled|failed|was missed|was cancelled)/, state);
      expect(sentence).not.to.include('undefined');
    }
    for (const state of jobStates) {
      await world.audited.transaction(world.actor, async (tables) => {
        const [row] = await tables.of(Job).find();
        await tables.of(Job).update([{ row: row as JobRow, set: { state, reason: `${state} for a reason` } }]);
      });
      const { sentence } = await world.why('Job', 1);
      expect(sentence).to.include(state === 'running' || state === 'scheduled' ? 'job 1' : 'for a reason');
      expect(sentence).not.to.include('undefined');
    }
  });

  it('tells what a repetition of a Task that has ended waits for, and how it goes', async () => {
    await world.template({ name: 'Sync', deadline: '+10m' });
    await world.schedule();
    await world.time.pass(11 * minute);
    await world.schedule();
    const end =
      'Task 1 of Sync (Acme), window 05:00, was missed at 05:11: no attempt was started by the start deadline, 2026-11-21T05:10:00.000Z';
    expect(await world.why('Task', 1)).to.deep.include({ sentence: end, conditions: [] });
    const { id } = await world.jobs.schedule(world.actor, { task_id: 1, scheduled_at: world.time.now + minute });
    const waiting = await world.why('Task', 1);
    expect(waiting.sentence).to.equal(`${end}; its repetition waits: job ${id} is due at 05:12`);
    const owed = waiting.conditions.find(({ name }) => name === 'owed');
    expect(owed).to.include({ met: true, text: 'the job repeats the Task, which was missed' });
    for (const [kind, of] of [
      ['Job', id],
      ['RunTemplate', 1],
    ] as const) {
      const { conditions } = await world.why(kind, of);
      expect(conditions.find(({ name }) => name === 'due')).to.include({ text: `job ${id} is due at 05:12` });
      expect(conditions.map(({ name }) => name)).not.to.include('deadline');
    }
    await world.time.pass(minute);
    const runner = world.worker();
    await world.run(runner);
    const running = await world.why('Task', 1);
    expect(running.sentence).to.equal(`${end}; it is being repeated: job ${id} runs since 05:12 on host1`);
    await world.endLast(runner, 0);
    const { sentence, since_success } = await world.why('Task', 1);
    expect(sentence).to.equal(
      `Task 1 of Sync (Acme), window 05:00, was fulfilled late at 05:13: a repetition succeeded; before, it was missed: no attempt was started by the start deadline, 2026-11-21T05:10:00.000Z`,
    );
    // The repetition is no run that is to be explained.
    expect(since_success).to.include({ job_id: null });
    expect(since_success?.differences).to.deep.equal([]);
  });

  it('knows no record that the actor may not see', async () => {
    await world.template({});
    const error = await rejectionOf(world.why('RunTemplate', 1, user(7, [], { 99: 'manager' })));
    expect(error).to.include({ code: 'not_found', message: 'There is no RunTemplate 1.' });
  });
});
