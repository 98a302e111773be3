import { type Store, Topic, trustedActor } from '@horarium/core';
import { NodeVault } from '@horarium/core/node';
import { AuditedStore } from '#core/audit/audited-store';
import { Sealer } from '#core/audit/sealer';
import { createAuditKey, readAuditKey } from '#core/secret/key-registry';
import { overrideTables } from '#core/store/override-tables';
import { newRow } from '#core/store/table';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';
import type { TestCli } from '../program/test-cli.ts';

const day = 86_400_000;

/** Creates the store of a command line, in which topics were created some days ago; their entries are sealed. */
export async function writeAgedLog({ environment }: TestCli, topics: number, ageInDays: number): Promise<void> {
  const store = await openStore({ url: environment['HORARIUM_DATABASE_URL'] as string, synchronous: 'normal' });
  try {
    await store.schema?.migrate();
    const vault = new NodeVault(environment['HORARIUM_VAULT_KEY'] as string);
    await store.transaction((tables) => createAuditKey(tables, vault));
    const key = (await store.transaction((tables) => readAuditKey(tables, vault))) as string;
    const hmac = async () => vault.hmac(key);
    const rows = Array.from({ length: topics }, (_, index) => newRow(Topic, { name: `aged ${index}` }));
    await new AuditedStore(earlier(store, ageInDays * day), hmac).transaction(trustedActor('anna', 'cli'), (tables) =>
      tables.of(Topic).insert(rows),
    );
    const sealer = new Sealer({ store, hmac, onForged: () => undefined });
    while ((await sealer.tick()) === 0);
  } finally {
    await store.close();
  }
}

/** Returns a store whose clock is behind. */
function earlier(store: Store, by: number): Store {
  return {
    kind: store.kind,
    close: () => store.close(),
    transaction: (work, options) =>
      store.transaction(
        (tables) => work(overrideTables(tables, { now: async () => (await tables.now()) - by })),
        options,
      ),
  };
}
