import type { Instant, Milliseconds } from '../loop/clock.ts';
import { Setting } from '../store/setting.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { formatInstant } from '../time/instant.ts';

/** What happened to the store's clock: a step of it, or the confirmation of one that was held. */
export interface ClockChange {
  readonly kind: 'held' | 'gone_back' | 'set_back' | 'confirmed';
  /** How far the clock was stepped, or by how much it was ahead when that was confirmed. */
  readonly by: Milliseconds;
  /** The service's time right after the change. */
  readonly at: Instant;
  /** Who confirmed it; null for a step. */
  readonly actor: string | null;
}

/** How the service's time follows from the store's clock, on every host. */
export interface ClockState {
  /** The number of steps so far: readings from before a step are not compared with those after it. */
  readonly steps: number;
  /** How far the store's clock is ahead of the service's time; 0 = they are the same. */
  readonly held: Milliseconds;
  readonly last: ClockChange | null;
}

export const steadyState: ClockState = { steps: 0, held: 0, last: null };

const name = 'clock';

/** Reads the state of the store's clock. */
export async function readClockState(tables: Tables): Promise<ClockState> {
  return stateOf(await tables.setting(name));
}

/** Reads the state and locks it, so that one process at a time changes it. */
export async function lockClockState(tables: Tables): Promise<ClockState> {
  await tables.of(Setting).insertAbsent([newRow(Setting, { name })], ['name']);
  const [row] = await tables.of(Setting).find({ where: [['name', '=', name]], lock: 'wait' });
  return stateOf(row?.value);
}

/** Writes the state, which the caller has locked. */
export async function writeClockState(tables: Tables, state: ClockState): Promise<void> {
  await tables.of(Setting).updateWhere([['name', '=', name]], { value: JSON.stringify(state) });
}

function stateOf(value: string | null | undefined): ClockState {
  return value == null ? steadyState : (JSON.parse(value) as ClockState);
}

/** Returns the state after a change. */
export function changedState({ steps }: ClockState, held: Milliseconds, last: ClockChange): ClockState {
  return { steps: steps + (last.kind === 'confirmed' ? 0 : 1), held, last };
}

/** Returns how long the clock, if it was set back, will show time that it has shown before; 0 = it does not. */
export function repeatedTime({ last }: ClockState, now: Instant): Milliseconds {
  return last?.kind === 'set_back' ? Math.max(0, last.at + last.by - now) : 0;
}

const advice = 'If the time is right, confirm it with: horarium clock:confirm';

/** Says what happened to the clock, for people. */
export function describeClockChange({ kind, by, at, actor }: ClockChange): string {
  const seconds = `${Math.round(by / 1000)} s`;
  const time = formatInstant(at);
  if (kind === 'held') return `The clock of the store is ${seconds} ahead since ${time}. ${advice}`;
  if (kind === 'gone_back') return `The clock of the store went back to the right time at ${time}.`;
  if (kind === 'set_back') return `The clock of the store was set back by ${seconds} to ${time}.`;
  return `${actor} confirmed at ${time} that the clock of the store, which was ${seconds} ahead, is right.`;
}

/** The state of the clock, as channels show it. */
export function shownClock(state: ClockState, now: Instant) {
  return {
    clock: state.held > 0 ? 'held' : repeatedTime(state, now) > 0 ? 'set_back' : 'steady',
    clock_held_seconds: state.held / 1000,
    clock_changed_at: state.last && formatInstant(state.last.at),
  } as const;
}
