import { trustedActor } from '@horarium/core';
import { ClockConfirmation } from '#core/clock/clock-confirmation';
import { type ClockChange, type ClockState, readClockState } from '#core/service-time/clock-state';
import { SchedulingWorld } from './scheduling-world.ts';

const second = 1000;
const minute = 60 * second;
const admin = trustedActor('admin', 'cli');

/** A scheduling world whose clock is watched. */
export class ClockWorld extends SchedulingWorld {
  readonly start = this.time.now;

  static async create(): Promise<ClockWorld> {
    const world = new ClockWorld();
    await world.clockWatch.tick();
    return world;
  }

  /** Lets time pass second by second, in which the clock watch and the scheduler tick. */
  async pass(duration: number): Promise<void> {
    for (let passed = 0; passed < duration; passed += second) {
      await this.time.pass(second);
      while ((await this.clockWatch.tick()) === 0);
      await this.schedule();
    }
  }

  /** The starts of the windows with Tasks of a template, or of all, in minutes after the start, ascending. */
  async windows(template?: number): Promise<number[]> {
    const tasks = (await this.allTasks()).filter((task) => template === undefined || task.runtemplate_id === template);
    return tasks.map((task) => (task.window_start - this.start) / minute).sort((a, b) => a - b);
  }

  state(): Promise<ClockState> {
    return this.store.transaction(readClockState, { readOnly: true });
  }

  confirm(): Promise<ClockChange> {
    return new ClockConfirmation(this.audited, (change) => void this.clockChanges.push(change)).confirm(admin);
  }

  serviceNow(): Promise<number> {
    return this.audited.transaction(admin, (tables) => tables.now());
  }
}
