import {
  type AnyRow,
  allTables,
  EventSource,
  type Store,
  type Table,
  type TableDescription,
  type Tables,
} from '@horarium/core';
import { NodeVault } from '@horarium/core/node';
import { expect } from 'chai';
import { rotationRules } from '#core/resources';
import { KeyManager } from '#core/secret/key-manager';
import { beginRotation, endRotation, registeredFingerprints } from '#core/secret/key-registry';
import { RecordCipher } from '#core/secret/record-cipher';
import { overrideTable, overrideTables, typedTable } from '#core/store/override-tables';
import { newRow } from '#core/store/table';
import { openPostgresStore } from '../../../adapters/mikro-orm/dialects/postgresql/store.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { administer, createDatabase, dropDatabase } from '../../support/store/test-postgres.ts';
import { refusal } from '../../support/worlds/record-world.ts';

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');
/** The vaults of two hosts that have the same keys in different order. */
const mine = new NodeVault(`${keyOf(1)},${keyOf(2)}`);
const theirs = new NodeVault(`${keyOf(2)},${keyOf(1)}`);

describe('Rotations of two hosts to different keys, on PostgreSQL', () => {
  let url: string;
  let stores: readonly [Store, Store];

  beforeEach(async () => {
    url = await createDatabase();
    const [first, second] = [
      await openPostgresStore({ url, tables: allTables }),
      await openPostgresStore({ url, tables: allTables }),
    ];
    await first.schema.migrate();
    stores = [first, second];
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    await dropDatabase(url);
  });

  const keysOf = (store: Store, vault: NodeVault) => new KeyManager({ store, vault, ...rotationRules() });
  const registered = () => stores[0].transaction(registeredFingerprints, { readOnly: true });

  /** Resolves when the work has ended, or waits for a lock. */
  async function endedOrWaiting(work: Promise<unknown>): Promise<void> {
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await eventually('a lock is waited for', async () => ended || (await administer(url, waiting)).length > 0);
  }

  it('leave the key registered whose rotation begins while the other one ends', async () => {
    await keysOf(stores[0], mine).check();
    await keysOf(stores[1], theirs).check();
    await stores[0].transaction((tables) => beginRotation(tables, mine));
    let ending: Promise<unknown> = Promise.resolve();
    await stores[1].transaction(async (tables) => {
      await beginRotation(tables, theirs);
      ending = refusal(stores[0].transaction((own) => endRotation(own, mine)));
      await endedOrWaiting(ending);
    });
    expect(((await ending) as Error).message).to.equal(
      `Another host is rotating the secrets to the vault key ${theirs.fingerprint}.`,
    );
    expect(await registered()).to.include(theirs.fingerprint);
  });

  it('register the key whose rotation begins after the other one has ended', async () => {
    await keysOf(stores[0], mine).check();
    await keysOf(stores[1], theirs).check();
    await keysOf(stores[0], mine).rotate();
    await stores[1].transaction((tables) => beginRotation(tables, theirs));
    expect(await registered()).to.deep.equal([theirs.fingerprint, mine.fingerprint]);
  });

  it('leave nothing encrypted with a key that is no longer registered', async () => {
    await keysOf(stores[0], theirs).check();
    await keysOf(stores[1], mine).check();
    await addSource(stores[0], theirs);
    let other: Promise<unknown> | undefined;
    const interrupted = storeThatAwaits(stores[1], async (table) => {
      if (table.name !== EventSource.name) return;
      other ??= keysOf(stores[0], theirs).rotate();
      await endedOrWaiting(other);
    });
    expect((await refusal(keysOf(interrupted, mine).rotate())).code).to.equal('conflict');
    await other;
    const [source] = await stores[0].transaction((tables) => tables.of(EventSource).find(), { readOnly: true });
    const key = theirs.keyOf((source as { cipher_key: string }).cipher_key);
    expect(await registered()).to.deep.equal([theirs.fingerprint]);
    expect(theirs.fingerprint.startsWith(key)).to.equal(true);
  });
});

async function addSource(store: Store, vault: NodeVault): Promise<void> {
  await store.transaction(async (tables) => {
    const cipher = new RecordCipher(vault, EventSource);
    const options = { password: cipher.encrypt(['options', 'password'], 'a secret') };
    const row = newRow(EventSource, { revision: 1, created_at: 0, updated_at: 0, name: 's', kind: 'k', options });
    const [id] = await tables.of(EventSource).insert([row]);
    const set = { cipher_key: cipher.cipherKeyFor(id as number) as string };
    await tables.of(EventSource).update([{ row: { ...row, id: id as number }, set }]);
  });
}

/** The store, awaiting this before each update of a table. */
function storeThatAwaits(store: Store, beforeUpdate: (table: TableDescription) => Promise<void>): Store {
  const awaiting = (tables: Tables): Tables => {
    const of = <R extends AnyRow>(description: TableDescription<R>): Table<R> => {
      const table = tables.of<AnyRow>(description);
      const update: typeof table.update = async (changes) => {
        await beforeUpdate(description);
        return table.update(changes);
      };
      return typedTable(overrideTable(table, { update }), description);
    };
    return overrideTables(tables, { of });
  };
  return {
    kind: store.kind,
    transaction: (work, options) => store.transaction((tables) => work(awaiting(tables)), options),
    close: () => store.close(),
  };
}
