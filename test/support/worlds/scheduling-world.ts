import {
  type Actor,
  App,
  Calendar,
  type CalendarRow,
  Company,
  type CompanyRow,
  type Executor,
  Job,
  type JobRow,
  RunTemplate,
  type RunTemplateRow,
  type Store,
  Task,
  type TaskRow,
  trustedActor,
} from '@horarium/core';
import { AuditedStore } from '#core/audit/audited-store';
import { ClockWatch } from '#core/clock/clock-watch';
import { Jobs } from '#core/job/jobs';
import { StrandedJobs } from '#core/job/stranded-jobs';
import type { Ticker } from '#core/loop/loop';
import { noDailyLimits } from '#core/quota/daily-usage';
import { productObservers } from '#core/resources';
import { onCalendarChange, onTemplateChange } from '#core/scheduler/schedule-reactions';
import { Scheduler } from '#core/scheduler/scheduler';
import type { ClockChange } from '#core/service-time/clock-state';
import { serviceStore } from '#core/service-time/service-store';
import { insertOne } from '#core/store/rows';
import { newRow } from '#core/store/table';
import type { LeaseTimes } from '#core/worker/lease/lease-epoch';
import { WorkerReaper } from '#core/worker/lease/worker-reaper';
import type { PreparationContext } from '#core/worker/prepare-attempts';
import { Runner } from '#core/worker/runner';
import { Worker } from '#core/worker/worker';
import { HostClock, VirtualTime } from '../clocks/virtual-time.ts';
import { testSigner } from '../secrets/test-hmac.ts';
import { testPreparation } from '../simulation/world/preparation.ts';
import { openTestStore } from '../store/test-store.ts';
import { recordServices, recordsContext } from './record-world.ts';

const times: LeaseTimes = { duration: 10_000, renewal: 2500, margin: 3000, silence: 4000 };

/** The scheduler, workers and jobs around one store in virtual time; they act only when the test ticks them. */
export class SchedulingWorld {
  readonly time = new VirtualTime(Date.UTC(2026, 10, 21, 5));
  readonly clock = new HostClock(this.time, 0);
  readonly store: Store = this.openStore();
  /** What the clock watch of any host has recorded. */
  readonly clockChanges: ClockChange[] = [];
  readonly clockWatch = this.newClockWatch(this.clock);
  readonly audited = new AuditedStore(serviceStore(this.store, this.clockWatch.time), testSigner, {
    observers: productObservers(),
  });
  readonly actor: Actor = trustedActor('anna', 'http');
  readonly scheduler = new Scheduler({ store: this.audited, poll: 1000, calendarRules: recordServices.calendarRules });
  readonly reaper = new WorkerReaper({ store: this.audited });
  /** Those of the workers that are created later. */
  dailyLimits = noDailyLimits;
  readonly strandedJobs = new StrandedJobs(this.audited);
  readonly jobs = new Jobs({
    records: recordsContext(this.audited),
    vault: testPreparation().vault,
  });
  /** The jobs that each lost lease made its worker abandon. */
  readonly lostLeases: (readonly number[])[] = [];
  #workers = 0;
  #app = 0;
  #company = 0;

  /** Opens the store of the world, before all else but its time. */
  protected openStore(): Store {
    return openTestStore(this.time.storeClock);
  }

  /** The runner of a new worker, which uses that store. */
  runner(executor: Executor, store: Store = this.store, preparation: PreparationContext = testPreparation()): Runner {
    const timed = serviceStore(store, this.clockWatch.time);
    const parts = {
      ...preparation,
      store: new AuditedStore(timed, testSigner, { observers: productObservers() }),
      clock: this.clock,
    };
    const worker = new Worker({
      ...parts,
      executors: new Map([['native', executor]]),
      host: `host${++this.#workers}`,
      pid: 1,
      capacity: 10,
      times,
      dailyLimits: this.dailyLimits,
      wake: () => undefined,
      onLeaseLost: (jobIds) => void this.lostLeases.push(jobIds),
    });
    return new Runner({ ...parts, worker, poll: 1000 });
  }

  /** A clock watch of a process, on this host or another one. */
  newClockWatch(clock: HostClock, host = 'host1', store: Store = this.store): ClockWatch {
    const onChange = (change: ClockChange) => void this.clockChanges.push(change);
    return new ClockWatch({ store, clock, signer: testSigner, host, onChange });
  }

  /** Creates a further company and returns its id. */
  async company(code: string, given: Partial<CompanyRow> = {}): Promise<number> {
    return this.audited.transaction(this.actor, (tables) =>
      insertOne(tables.of(Company), newRow(Company, { code, name: code, ...given })),
    );
  }

  /** Creates a further App and returns its id. */
  async app(name: string): Promise<number> {
    return this.audited.transaction(this.actor, (tables) =>
      insertOne(tables.of(App), newRow(App, { name, executable: 'work', uuid: crypto.randomUUID() })),
    );
  }

  /** Creates a template, active from now on by default. */
  async template(given: Partial<RunTemplateRow>): Promise<RunTemplateRow> {
    return this.audited.transaction(this.actor, async (tables) => {
      if (this.#app === 0) {
        const uuid = '00000000-0000-4000-8000-000000000001';
        [this.#app] = (await tables.of(App).insert([newRow(App, { name: 'work', executable: 'work', uuid })])) as [
          number,
        ];
        [this.#company] = (await tables.of(Company).insert([newRow(Company, { code: 'acme', name: 'Acme' })])) as [
          number,
        ];
      }
      const own = { name: 'template', interval: 'hourly', app_id: this.#app, company_id: this.#company } as const;
      const [id] = await tables.of(RunTemplate).insert([newRow(RunTemplate, { ...own, ...given })]);
      const [after] = await tables.of(RunTemplate).find({ where: [['id', '=', id as number]] });
      await onTemplateChange({ before: undefined, after }, tables, recordServices);
      return after as RunTemplateRow;
    });
  }

  /** Inserts a calendar of all companies. @returns its id. */
  calendar(given: Partial<CalendarRow>): Promise<number> {
    return this.audited.transaction(this.actor, async (tables) => {
      const [id] = await tables.of(Calendar).insert([newRow(Calendar, { name: 'calendar', ...given })]);
      return id as number;
    });
  }

  async editCalendar(id: number, set: Partial<CalendarRow>): Promise<void> {
    await this.audited.transaction(this.actor, async (tables) => {
      const [before] = await tables.of(Calendar).find({ where: [['id', '=', id]] });
      await tables.of(Calendar).update([{ row: before as CalendarRow, set }]);
      const [after] = await tables.of(Calendar).find({ where: [['id', '=', id]] });
      await onCalendarChange({ before, after }, tables, recordServices);
    });
  }

  async edit(id: number, set: Partial<RunTemplateRow>): Promise<void> {
    await this.audited.transaction(this.actor, async (tables) => {
      const [before] = await tables.of(RunTemplate).find({ where: [['id', '=', id]] });
      await tables.of(RunTemplate).update([{ row: before as RunTemplateRow, set }]);
      const [after] = await tables.of(RunTemplate).find({ where: [['id', '=', id]] });
      await onTemplateChange({ before, after }, tables, recordServices);
    });
  }

  /** Ticks the scheduler until nothing more is due. */
  async schedule(): Promise<void> {
    for (let tick = 0; tick < 20 && (await this.scheduler.tick()) <= 1; tick++);
  }

  /** Lets a second pass, in which the ticker ticks after each wait. @returns how often it ticked. */
  async ticksInASecond(ticker: Ticker): Promise<number> {
    const end = this.time.now + 1000;
    let ticks = 0;
    for (; this.time.now < end; ticks++) await this.time.pass(Math.max(1, await ticker.tick()));
    return ticks;
  }

  allTasks(): Promise<TaskRow[]> {
    return this.audited.read((tables) => tables.of(Task).find({ order: [['id', 'asc']] }));
  }

  /** Counts successive Tasks in the same state, in the order of their windows: `999 missed, 1 open caught up, 1 open`. */
  async taskStates(): Promise<string> {
    const found: { state: string; count: number }[] = [];
    for (const { state, caught_up } of (await this.allTasks()).sort((a, b) => a.window_start - b.window_start)) {
      const name = caught_up ? `${state} caught up` : state;
      const last = found.at(-1);
      if (last?.state === name) last.count++;
      else found.push({ state: name, count: 1 });
    }
    return found.map(({ state, count }) => `${count} ${state}`).join(', ');
  }

  allJobs(): Promise<JobRow[]> {
    return this.audited.read((tables) => tables.of(Job).find({ order: [['id', 'asc']] }));
  }

  async job(id: number): Promise<JobRow> {
    return (await this.allJobs()).find((job) => job.id === id) as JobRow;
  }

  async task(id: number): Promise<TaskRow> {
    return (await this.allTasks()).find((task) => task.id === id) as TaskRow;
  }
}
