import { type Store, type Tables, Task } from '@horarium/core';
import { eventually } from '../mocha/eventually.ts';
import type { ServiceWorld } from './service-world.ts';

const second = 1000;

/**
 * Waits until services have caught up with the windows of templates and ended the overdue Tasks; then deactivates the templates.
 * @param templates the length of their windows, by their ids.
 * @param restarted when the services were started again.
 * @returns an instant after it.
 */
export async function deactivateOnceCaughtUp(
  world: ServiceWorld,
  store: Store,
  templates: ReadonlyMap<number, { readonly step: number }>,
  restarted: number,
): Promise<number> {
  const read = <T>(work: (tables: Tables) => Promise<T>) => store.transaction(work, { readOnly: true });
  for (const [id, { step }] of templates)
    await eventually('the window that was current has its Task', () =>
      read(async (tables) => {
        const since = [
          ['runtemplate_id', '=', id],
          ['window_start', '>', restarted - step],
        ] as const;
        return (await tables.of(Task).count(since, 1)) > 0;
      }),
    );
  await eventually('no open Task is past its start deadline', () =>
    read(async (tables) => {
      const overdue = [
        ['state', '=', 'open'],
        ['start_deadline', '<', (await tables.now()) - second],
      ] as const;
      return (await tables.of(Task).count(overdue)) === 0;
    }),
  );
  for (const id of templates.keys()) await world.run('runtemplate:save', '--id', String(id), '--active', 'false');
  return Date.now();
}
