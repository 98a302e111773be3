import type { AuditedStore } from '../audit/audited-store.ts';
import { conflict, denied } from '../errors.ts';
import type { Actor } from '../resource/actor.ts';
import { isAdmin } from '../resource/permissions.ts';
import { type ClockChange, changedState, lockClockState, writeClockState } from '../service-time/clock-state.ts';
import type { Tables } from '../store/store.ts';
import { shiftLeases } from './shift-leases.ts';

/** Confirms the store's clock when people know that it is right. */
export class ClockConfirmation {
  readonly #store: AuditedStore;
  readonly #onChange: (change: ClockChange) => void;

  /** @param onChange called after the commit of a confirmation. */
  constructor(store: AuditedStore, onChange: (change: ClockChange) => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  /**
   * Confirms that the store's clock is right although it jumped ahead, so that the time of the service jumps with it:
   * what was owed in between is decided as after downtime.
   * @throws HorariumError `denied`, or `conflict` when no jump is held.
   */
  confirm(actor: Actor): Promise<ClockChange> {
    return this.#store.transaction(actor, (tables) => this.confirmIn(tables, actor));
  }

  /** Confirms it like `confirm`, in the caller's transaction. */
  async confirmIn(tables: Tables, actor: Actor): Promise<ClockChange> {
    if (!isAdmin(actor)) throw denied(`${actor.name} may not confirm the clock: that takes the role admin.`);
    const state = await lockClockState(tables);
    const { held } = state;
    if (held === 0) throw conflict('The clock of the store is not ahead, so that there is nothing to confirm.');
    const change = { kind: 'confirmed', by: held, at: (await tables.now()) + held, actor: actor.name } as const;
    await shiftLeases(tables, held);
    await writeClockState(tables, changedState(state, 0, change));
    tables.afterCommit(() => this.#onChange(change));
    return change;
  }
}
