import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import type { Hmac } from '../secret/vault.ts';
import type { Store, Tables } from '../store/store.ts';
import { AuditLog } from './audit-log.ts';
import { chainStart, type Head, nextHead } from './chain.ts';

const batchSize = 2000;
/** How long the sealer waits when nothing is left to seal, so that an entry is sealed within a second of its commit. */
const pollInterval: Milliseconds = 500;
const unsealed = [['seq', '=', null]] as const;

/** Seals committed audit entries, on one host at a time: gives each its `seq` in the chain, without gaps, and its hash. */
export class Sealer implements Ticker {
  readonly name = 'sealer';
  readonly #store: Store;
  readonly #hmac: () => Promise<Hmac>;

  /** @param hmac is called only when there is something to seal. */
  constructor(store: Store, hmac: () => Promise<Hmac>) {
    this.#store = store;
    this.#hmac = hmac;
  }

  async tick(): Promise<Milliseconds> {
    const unsealedCount = await this.#store.transaction((tables) => tables.of(AuditLog).count(unsealed, 1), {
      readOnly: true,
      singleStatement: true,
    });
    if (unsealedCount === 0) return pollInterval;
    const hmac = await this.#hmac();
    const sealedCount = await this.#store.transaction((tables) => seal(tables, hmac));
    return sealedCount === batchSize ? 0 : pollInterval;
  }
}

/** Seals one batch. @returns the number of its entries. */
async function seal(tables: Tables, hmac: Hmac): Promise<number> {
  if (!(await tables.tryLock('audit seal'))) return 0;
  const log = tables.of(AuditLog);
  const [previous, entries] = await Promise.all([
    readAuditHead(tables),
    log.find({ where: unsealed, order: [['id', 'asc']], limit: batchSize }),
  ]);
  let head = previous;
  await log.update(
    entries.map((row) => {
      head = nextHead(hmac, head, row);
      return { row, set: { ...head } };
    }),
  );
  return entries.length;
}

/** Reads the `seq` and hash of the last sealed entry. */
export async function readAuditHead(tables: Tables): Promise<Head> {
  const where = [['seq', '!=', null]] as const;
  const [last] = await tables
    .of(AuditLog)
    .find({ where, order: [['seq', 'desc']], limit: 1, columns: ['seq', 'hash'] });
  return last ? { seq: last.seq as number, hash: last.hash as string } : chainStart;
}
