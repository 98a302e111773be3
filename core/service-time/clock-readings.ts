import type { Instant, Milliseconds } from '../loop/clock.ts';
import { Setting } from '../store/setting.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import type { ClockState } from './clock-state.ts';
import { type RecordedReading, stepSince } from './clock-step.ts';

/** The latest reading of the store's clock by the processes of one machine. */
export interface MachineReading extends RecordedReading {
  /** The name of the machine: containers on one machine share its boot, but need not share its uptime. */
  readonly host: string;
  /** The number of steps of the clock until then. */
  readonly steps: number;
}

const name = 'clock readings';
/** How many machines are remembered, those that were read last. */
const maxMachines = 20;

/** The latest readings of all machines since the last step of the clock. */
class MachineReadings {
  readonly #readings: readonly MachineReading[];
  readonly #held: Milliseconds;

  constructor(readings: readonly MachineReading[], { steps, held }: ClockState) {
    this.#readings = readings.filter((reading) => reading.steps === steps);
    this.#held = held;
  }

  /**
   * Returns how far the clock was stepped since the latest reading of this machine, or where there is none, of another.
   */
  stepTo(reading: Omit<RecordedReading, 'boot'>, boot: string | null, host: string): Milliseconds {
    const own = this.#readings.find((other) => isOf(other, boot, host));
    const recorded = own ?? this.#readings.reduce<MachineReading | undefined>(later, undefined);
    return recorded ? stepSince(recorded, { ...reading, boot: own ? boot : null }, this.#held) : 0;
  }

  /** What the clock showed when another machine read it last; null = none did. */
  latestOfOthers(boot: string | null, host: string): Instant | null {
    return (
      this.#readings.filter((other) => !isOf(other, boot, host)).reduce<MachineReading | undefined>(later, undefined)
        ?.shown ?? null
    );
  }
}

export async function readReadings(tables: Tables, state: ClockState): Promise<MachineReadings> {
  const [row] = await tables.of(Setting).find({ where: [['name', '=', name]] });
  return new MachineReadings(parse(row?.value), state);
}

/** Stores the latest reading of a machine in place of the one before. */
export async function recordReading(tables: Tables, reading: MachineReading): Promise<void> {
  await tables.of(Setting).insertAbsent([newRow(Setting, { name })], ['name']);
  const [row] = await tables.of(Setting).find({ where: [['name', '=', name]], lock: 'wait' });
  const others = parse(row?.value).filter((other) => !isOf(other, reading.boot, reading.host));
  const value = JSON.stringify([reading, ...others].slice(0, maxMachines));
  await tables.of(Setting).updateWhere([['name', '=', name]], { value });
}

function parse(value: string | null | undefined): MachineReading[] {
  return value == null ? [] : (JSON.parse(value) as MachineReading[]);
}

function isOf(reading: MachineReading, boot: string | null, host: string): boolean {
  return reading.boot === boot && reading.host === host;
}

function later(one: MachineReading | undefined, other: MachineReading): MachineReading {
  return one && one.shown >= other.shown ? one : other;
}
