import type { Milliseconds, Store } from '@horarium/core';
import { changedState, lockClockState, writeClockState } from '#core/service-time/clock-state';

/** Stores that the store's clock is that far ahead of the time of the service, as after a jump that is held. */
export async function setClockAhead(store: Store, by: Milliseconds): Promise<void> {
  await store.transaction(async (tables) => {
    const state = await lockClockState(tables);
    const change = { kind: 'held', by, at: (await tables.now()) - by, actor: null } as const;
    await writeClockState(tables, changedState(state, by, change));
  });
}
