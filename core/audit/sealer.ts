import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import type { Hmac } from '../secret/vault.ts';
import type { Store, Tables } from '../store/store.ts';
import { AuditLog } from './audit-log.ts';
import { chainStart, type Head, nextHead } from './chain.ts';

const batchSize = 2000;
/** The pause of the sealer; an entry is sealed within a second of its commit. */
const pause: Milliseconds = 500;

/** Seals committed audit entries: gives each its `seq` in the chain, without gaps, and its hash. One host at a time. */
export class Sealer implements Ticker {
  readonly name = 'sealer';
  readonly #store: Store;
  readonly #hmac: () => Promise<Hmac>;

  /** @param hmac asked for when there is something to seal. */
  constructor(store: Store, hmac: () => Promise<Hmac>) {
    this.#store = store;
    this.#hmac = hmac;
  }

  async tick(): Promise<Milliseconds> {
    const open = await this.#store.transaction((tables) => tables.of(AuditLog).count(unsealed, 1), {
      readOnly: true,
      singleStatement: true,
    });
    if (open === 0) return pause;
    const hmac = await this.#hmac();
    const sealed = await this.#store.transaction((tables) => seal(tables, hmac));
    return sealed === batchSize ? 0 : pause;
  }
}

async function seal(tables: Tables, hmac: Hmac): Promise<number> {
  if (!(await tables.tryLock('audit seal'))) return 0;
  const log = tables.of(AuditLog);
  const [last, entries] = await Promise.all([
    headOf(tables),
    log.find({ where: unsealed, order: [['id', 'asc']], limit: batchSize }),
  ]);
  let head = last;
  await log.update(
    entries.map((row) => {
      head = nextHead(hmac, head, row);
      return { row, set: { ...head } };
    }),
  );
  return entries.length;
}

const unsealed = [['seq', '=', null]] as const;

/** Reads the `seq` and hash of the last sealed entry. */
export async function headOf(tables: Tables): Promise<Head> {
  const where = [['seq', '!=', null]] as const;
  const [last] = await tables
    .of(AuditLog)
    .find({ where, order: [['seq', 'desc']], limit: 1, columns: ['seq', 'hash'] });
  return last ? { seq: last.seq as number, hash: last.hash as string } : chainStart;
}
