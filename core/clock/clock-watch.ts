import { AuditedStore, type Signer } from '../audit/audited-store.ts';
import { noCalendarRules } from '../calendar/calendars.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { replanAfterSetBack } from '../maintenance/maintenance-reactions.ts';
import { trustedActor } from '../resource/actor.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import { setBack } from '../scheduler/set-back.ts';
import { readReadings, recordReading } from '../service-time/clock-readings.ts';
import {
  type ClockChange,
  type ClockState,
  changedState,
  lockClockState,
  readClockState,
  writeClockState,
} from '../service-time/clock-state.ts';
import { type ClockReading, outcomeOfStep, stepBetween, stepTolerance } from '../service-time/clock-step.ts';
import { ServiceTime } from '../service-time/service-time.ts';
import type { Store, Tables } from '../store/store.ts';
import { shiftLeases } from './shift-leases.ts';
import { shortenWaits } from './shorten-waits.ts';

const actor = trustedActor('clock watch');

const interval: Milliseconds = 1000;
/** How often a reading is stored. */
const recordInterval: Milliseconds = 10_000;

export interface ClockWatchOptions {
  /** The store with its own clock, not with the time of the service. */
  readonly store: Store;
  readonly clock: Clock;
  /** The rules of the calendars that templates follow. @default none */
  readonly calendarRules?: CalendarRuleSchemas;
  /** Signs the audit entries of what it changes. */
  readonly signer: Signer;
  /** The name of this machine: the readings of machines are kept apart. */
  readonly host: string;
  /** Lets it tick at once, because a step was found that it has not recorded. @default it ticks when its wait is over */
  wake?(): void;
  /** Called after the commit of a change. */
  onChange?(change: ClockChange): void;
}

/**
 * Compares the store's clock with the clocks of this machine at each tick, and records its steps for all hosts. A step
 * ahead is held until it is confirmed or the clock has gone back; when the clock was set back, what lies ahead of it waits
 * for its time.
 */
export class ClockWatch implements Ticker {
  readonly name = 'clock watch';
  /** The time of the service in this process, which goes on without a step that is not recorded yet. */
  readonly time: ServiceTime;
  readonly #options: ClockWatchOptions;
  readonly #store: AuditedStore;
  #isFirst = true;
  #recordedAt: Milliseconds = Number.NEGATIVE_INFINITY;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    this.time = new ServiceTime(options);
    this.#store = new AuditedStore(options.store, options.signer);
  }

  async tick(): Promise<Milliseconds> {
    const { clock } = this.#options;
    const { reading, state, step } = await this.#store.read((tables) => this.#compare(tables, readClockState(tables)));
    if (step !== 0) {
      await this.#store.transaction(actor, (tables) => this.#recordStep(tables));
      return 0;
    }
    this.time.watch(reading, state);
    this.#isFirst = false;
    if (clock.elapsed() >= this.#recordedAt + recordInterval) {
      await this.#store.transaction(actor, (tables) => this.#record(tables, reading, state));
      this.#recordedAt = clock.elapsed();
    }
    return interval;
  }

  /** Reads the clock, and returns how far it was stepped since the latest reading that it can be compared with. */
  async #compare(tables: Tables, stored: Promise<ClockState>) {
    const asked = this.#options.clock.elapsed();
    const state = await stored;
    const reading = await this.time.read(tables, asked);
    return { reading, state, step: await this.#stepTo(tables, reading, state) };
  }

  async #stepTo(tables: Tables, reading: ClockReading, state: ClockState): Promise<Milliseconds> {
    const { clock, host } = this.#options;
    const before = this.time.lastReading(state);
    if (!before) return this.#isFirst ? (await readReadings(tables, state)).stepTo(reading, clock.boot, host) : 0;
    const step = stepBetween(before, reading);
    if (step <= 0) return step;
    // Another machine saw the clock go on where it seems to have jumped: this one stood still, as a paused virtual machine.
    const latest = (await readReadings(tables, state)).latestOfOthers(clock.boot, host);
    return latest !== null && latest > reading.shown - step + stepTolerance / 2 ? 0 : step;
  }

  /** Records a step, unless another process has recorded it by now. */
  async #recordStep(tables: Tables): Promise<void> {
    const { reading, state, step } = await this.#compare(tables, lockClockState(tables));
    if (step === 0) return;
    const { kind, held, shift } = outcomeOfStep(state.held, step);
    const now = reading.shown - held;
    if (shift !== 0) await shiftLeases(tables, shift);
    if (kind === 'set_back') {
      await shortenWaits(tables, now);
      const { calendarRules: rules = noCalendarRules } = this.#options;
      await setBack(tables, { now, by: -shift, rules });
      await replanAfterSetBack(tables, rules);
    }
    const by = kind === 'held' ? held : kind === 'set_back' ? -shift : -step;
    const change = { kind, by, at: now, actor: null };
    const next = changedState(state, held, change);
    await writeClockState(tables, next);
    await this.#record(tables, reading, next);
    tables.afterCommit(() => {
      this.#options.onChange?.(change);
      this.#isFirst = false;
      this.time.watch(reading, next);
    });
  }

  #record(tables: Tables, { shown, uptime }: ClockReading, { steps }: ClockState): Promise<void> {
    const { clock, host } = this.#options;
    return recordReading(tables, { host, boot: clock.boot, shown, uptime, steps });
  }
}
