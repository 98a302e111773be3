import { timed } from '../../harness/rounds.ts';
import type { Measurement } from './measurement.ts';
import { startService } from './start-service.ts';

const starts = 5;
const name = 'start until listening, SQLite, ms';

/** From the start of the process until it prints that it listens, on a store that it has migrated before. */
export const start: Measurement = {
  rows: [{ name, target: { max: 500 } }],
  async run(side, context, add) {
    const database = await context.emptyDatabase('SQLite FULL');
    // Migrates the store, and lets Node keep the compiled code.
    await (await startService(side, database))[Symbol.asyncDispose]();
    for (let left = starts; left > 0; left--) {
      context.signal.throwIfAborted();
      let service: AsyncDisposable | undefined;
      add(
        name,
        await timed(async () => {
          service = await startService(side, database);
        }),
      );
      await service?.[Symbol.asyncDispose]();
    }
  },
};
