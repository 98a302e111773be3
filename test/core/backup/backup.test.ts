import {
  type Actor,
  AuditLog,
  allTables,
  BackupReader,
  Delivery,
  type HorariumError,
  Pause,
  type Store,
  type Table,
  type TableDescription,
  Topic,
  trustedActor,
} from '@horarium/core';
import { NodeVault, newVaultKey } from '@horarium/core/node';
import { expect } from 'chai';
import { AuditCheckpoint } from '#core/audit/archive/checkpoint';
import { hasDue } from '#core/delivery/claim-deliveries';
import { overrideTable, overrideTables, typedTable } from '#core/store/override-tables';
import { Setting } from '#core/store/setting';
import { type AnyRow, newRow } from '#core/store/table';
import { MovableClock } from '../../support/clocks/movable-clock.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { fillTables } from '../../support/store/filler-rows.ts';
import { type OpenedStore, storeKinds } from '../../support/store/store-kinds.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';

const operator = trustedActor('jana', 'cli');
const vault = new NodeVault(newVaultKey());

const coreOn = (store: Store) => new MemoryCore({ store, vault });

async function backupOf(store: Store): Promise<string[]> {
  let text = '';
  await coreOn(store).backups.write(operator, async (piece) => {
    text += piece;
  });
  return text.split('\n').slice(0, -1);
}

async function* linesOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const restore = async (store: Store, lines: readonly string[], unverified = false) =>
  coreOn(store).backups.restore(operator, await BackupReader.open(linesOf(lines)), { unverified });

/** Every row and the last id of each table. */
function contentOf(store: Store) {
  return store.transaction(
    async (tables) => {
      const content: Record<string, unknown> = {};
      for (const table of allTables)
        content[table.name] = {
          lastId: await tables.copyOf(table).lastId(),
          rows: await tables.of(table).find({ order: [['id', 'asc']] }),
        };
      return content as Record<string, { readonly lastId: number; readonly rows: readonly Record<string, unknown>[] }>;
    },
    { readOnly: true },
  );
}

/** Takes back what a restore adds. */
async function asBefore(store: Store): Promise<void> {
  await store.transaction(async (tables) => {
    for (const table of [Pause, AuditLog] as readonly TableDescription[]) {
      const lastId = await tables.copyOf(table).lastId();
      await tables.of(table).delete([['id', '=', lastId]]);
      await tables.copyOf(table).setLastId(lastId - 1);
    }
    const setting = await tables.of(Setting).delete([['name', 'in', ['restore pause', 'version of configuration']]]);
    await tables.copyOf(Setting).setLastId((await tables.copyOf(Setting).lastId()) - setting.length);
  });
}

/** Passes each transaction the tables of a store, some of them replaced. */
function withTable(store: Store, name: string, replace: (table: Table) => Table): Store {
  return {
    kind: store.kind,
    close: () => store.close(),
    transaction: (work, options) =>
      store.transaction(
        (tables) =>
          work(
            overrideTables(tables, {
              of: (description) => {
                const table = tables.of<AnyRow>(description);
                return typedTable(description.name === name ? replace(table) : table, description);
              },
            }),
          ),
        options,
      ),
  };
}

/** Saves topics, and waits until their entries are sealed. */
async function writeTopics(store: Store, ...names: readonly string[]): Promise<void> {
  const core = coreOn(store);
  await core.forChannels.checkKeys();
  for (const name of names) await core.topics.save(operator, { name });
  await core.start();
  await core.stop();
}

/** A clock that sleeps until the next turn of the event loop only. */
function impatientClock(): MovableClock {
  return Object.assign(new MovableClock(), { sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) });
}

describe('A backup', () => {
  const opened: OpenedStore[] = [];
  const open = async (kind: string) => {
    const store = await (storeKinds[kind] as () => Promise<OpenedStore>)();
    opened.push(store);
    return store.store;
  };
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
  });

  it('moves every row of every table between all kinds of stores, with its id, and no id is assigned twice', async () => {
    let store = await open('memory');
    await coreOn(store).forChannels.checkKeys();
    await fillTables(store, allTables);
    await store.transaction(async (tables) => {
      await tables.of(Delivery).updateWhere([], { state: 'delivered' });
      const [, checkpoint] = await tables.of(AuditCheckpoint).find({ order: [['seq', 'asc']] });
      await tables.of(Topic).delete([['id', '=', 3]]);
      expect(checkpoint?.seq).to.equal(2);
    });
    const original = await contentOf(store);
    expect(Object.values(original).every(({ rows }) => rows.length >= 2)).to.equal(true);
    expect(original['Topic']).to.deep.include({ lastId: 3 });
    // The workers of the original are none of the restored store.
    const moved = { ...original, WorkerLease: { ...original['WorkerLease'], rows: [] } };
    for (const kind of ['SQLite', 'PostgreSQL', 'memory']) {
      const next = await open(kind);
      await restore(next, await backupOf(store), true);
      await asBefore(next);
      expect(await contentOf(next), kind).to.deep.equal(moved);
      store = next;
    }
  });

  for (const kind of Object.keys(storeKinds))
    describe(`restored into ${kind}`, () => {
      let lines: string[];
      beforeEach(async () => {
        const store = await open('memory');
        await writeTopics(store, 'one', 'two', 'three');
        lines = await backupOf(store);
      });

      it('has an audit log that verifies, and in it who restored the backup', async () => {
        const store = await open(kind);
        const { rows, verification } = await restore(store, lines);
        expect(verification).to.deep.include({ problem: null, checked: 3 });
        expect(rows).to.equal(JSON.parse(lines.at(-1) as string).rows);
        const core = coreOn(store);
        expect(await core.verifyAudit()).to.deep.include({ problem: null, checked: 3, open: 1 });
        const {
          rows: [entry],
        } = await core.auditLog.list(operator, { limit: 1 });
        expect(entry).to.deep.include({ actor: 'jana', action: 'create', entity_type: 'Pause' });
      });

      it('is paused as a whole, until a person resumes', async () => {
        const store = await open(kind);
        const { pauseId } = await restore(store, lines);
        const pause = await coreOn(store).pauses.get(operator, pauseId);
        expect(pause).to.include({
          company_id: null,
          runtemplate_id: null,
          until: null,
          ended_at: null,
          paused_by: 'jana',
        });
        expect(pause.reason).to.equal(`restored from the backup of ${JSON.parse(lines[0] as string).created_at}`);
      });

      it('is refused by a store that has a row, and changes nothing in it', async () => {
        const store = await open(kind);
        await coreOn(store).forChannels.checkKeys();
        const before = await contentOf(store);
        const error = await rejectionOf(restore(store, lines));
        expect(String(error)).to.contain('The store is not empty: it has rows of Setting.');
        expect(await contentOf(store)).to.deep.equal(before);
      });

      it('leaves the store empty when it fails in any line', async () => {
        const store = await open(kind);
        const empty = await contentOf(store);
        const line = lines.findIndex((each) => each.includes('"three"'));
        const wrong: Readonly<Record<string, readonly string[]>> = {
          'The backup is cut off after line 5: its end is missing.': lines.slice(0, 5),
          'The backup was changed after it was made': lines.map((each) => each.replace('"three"', '"drei"')),
          [`cannot be restored: Another Topic`]: lines.with(line, lines[line - 1] as string),
        };
        for (const [message, changed] of Object.entries(wrong)) {
          const error = (await rejectionOf(restore(store, changed))) as HorariumError;
          expect(error.message).to.match(new RegExp(message.replace('Another Topic', '.*Topic')));
          expect(Object.values(await contentOf(store)).every(({ rows }) => rows.length === 0)).to.equal(true);
        }
        expect(Object.keys(empty)).to.have.length(allTables.length);
        await restore(store, lines);
      });
    });

  it('leaves notices that waited unsent, because the original sends them', async () => {
    const original = await open('memory');
    await coreOn(original).forChannels.checkKeys();
    await fillTables(original, allTables);
    const pending = (await contentOf(original))['Delivery']?.rows.filter(({ state }) => state === 'pending');
    expect(pending).to.have.length(1);
    const store = await open('memory');
    const { unsentDeliveries } = await restore(store, await backupOf(original), true);
    expect(unsentDeliveries).to.equal(1);
    const [delivery] = await store.transaction((tables) =>
      tables.of(Delivery).find({ where: [['id', '=', pending?.[0]?.['id'] as number]] }),
    );
    expect(delivery).to.include({ state: 'failed', next_at: null });
    expect(delivery?.error).to.match(/^not sent since the restore of a backup/);
  });

  it('sends no notice of what happens in the restored store before a person resumes', async () => {
    const original = await open('memory');
    await writeTopics(original, 'one');
    const store = await open('memory');
    const { pauseId } = await restore(store, await backupOf(original));
    const core = coreOn(store);
    await store.transaction((tables) =>
      tables.of(Delivery).insert([
        newRow(Delivery, {
          action: 'webhook',
          event: 'on_failure',
          owner: 'service',
          message_id: 'a',
          next_at: 1,
          created_at: 1,
        }),
      ]),
    );
    const limits = { total: 1, underWay: new Map() };
    const isDue = () => core.store.read((tables) => hasDue(tables, limits));
    const reason = async () => {
      const rows = await core.deliveries.list(operator);
      const [shown] = await core.forChannels.serialize(Delivery, rows.rows, 'list');
      return shown?.['reason'];
    };
    expect(await isDue()).to.equal(false);
    expect(await reason()).to.equal(`it waits for the end of pause ${pauseId}: the store was restored from a backup`);
    await core.pauses.save(operator, { until: await core.store.read((tables) => tables.now()) }, { id: pauseId });
    expect(await isDue()).to.equal(true);
    expect(await reason()).to.equal(null);
  });

  it('is restored also if there are as many pauses as may be', async () => {
    const original = await open('memory');
    await writeTopics(original, 'one');
    await original.transaction((tables) =>
      tables
        .of(Pause)
        .insert(
          Array.from({ length: 200 }, () =>
            newRow(Pause, { starts_at: 1, reason: 'x', paused_by: 'eva', created_at: 1, updated_at: 1 }),
          ),
        ),
    );
    const store = await open('memory');
    expect(await restore(store, await backupOf(original))).to.include({ pauseId: 201 });
  });

  it('is restored with an audit log that does not verify only if that is wanted', async () => {
    const original = await open('memory');
    await writeTopics(original, 'one');
    await original.transaction((tables) => tables.of(AuditLog).updateWhere([], { actor: 'eva' }));
    const lines = await backupOf(original);
    const store = await open('memory');
    const error = await rejectionOf(restore(store, lines));
    expect(String(error)).to.contain('The audit log in the backup does not verify: Audit entry 1 ');
    expect(await restore(store, lines, true)).to.deep.include({ verification: null });
  });

  it('is made and restored by admins only', async () => {
    const store = await open('memory');
    await writeTopics(store, 'one');
    const lines = await backupOf(store);
    const { backups } = coreOn(store);
    const viewer: Actor = { ...operator, roles: new Set() };
    expect(String(await rejectionOf(backups.write(viewer, async () => undefined)))).to.contain('takes the role admin');
    const reader = await BackupReader.open(linesOf(lines));
    expect(String(await rejectionOf(backups.restore(viewer, reader)))).to.contain('takes the role admin');
  });

  it('names a row that was changed past the service so that no store would accept it', async () => {
    const store = await open('memory');
    await writeTopics(store, 'one');
    const odd = withTable(store, 'Topic', (table) => {
      const find = async () => [{ ...(await table.find())[0], name: 5 }];
      return overrideTable(table, { find: find as unknown as Table['find'] });
    });
    expect(String(await rejectionOf(backupOf(odd)))).to.match(
      /Topic 1 was changed past the service.*horarium_topic\.name cannot be a number/,
    );
  });

  it('is not begun again in the middle, because what was written cannot be taken back', async () => {
    const store = await open('memory');
    await writeTopics(store, 'one');
    const twice: Store = {
      kind: store.kind,
      close: () => store.close(),
      transaction: async (work, options) => {
        await store.transaction(work, options);
        return store.transaction(work, options);
      },
    };
    expect(String(await rejectionOf(backupOf(twice)))).to.contain('could not be read in one go');
  });

  it('empties the log that its snapshot has made grow, so that no commit of the service has to', async () => {
    const store = await open('memory');
    await writeTopics(store, 'one');
    const calls: string[] = [];
    const watched: Store = {
      kind: store.kind,
      close: () => store.close(),
      transaction: async (work, options) => {
        const result = await store.transaction(work, options);
        calls.push('transaction');
        return result;
      },
      checkpoint: async () => void calls.push('checkpoint'),
    };
    await backupOf(watched);
    expect(calls).to.deep.equal(['transaction', 'checkpoint']);
  });

  it('keeps its transaction alive while its lines come slowly', async () => {
    const original = await open('memory');
    await writeTopics(original, 'one');
    const lines = await backupOf(original);
    let statements = 0;
    const watched = withTable(await open('memory'), 'Setting', (table) => {
      const count: Table['count'] = (where, max) => {
        statements += 1;
        return table.count(where, max);
      };
      return overrideTable(table, { count });
    });
    const more = Promise.withResolvers<void>();
    async function* slowly() {
      yield* lines.slice(0, 3);
      await more.promise;
      yield* lines.slice(3);
    }
    const core = new MemoryCore({ store: watched, vault, clock: impatientClock() });
    const restoring = core.backups.restore(operator, await BackupReader.open(slowly()));
    await eventually('three statements were run', () => statements > 3);
    more.resolve();
    await restoring;
  });

  it('keeps its transaction alive while the reader is slow', async () => {
    const store = await open('memory');
    await writeTopics(store, 'one');
    let statements = 0;
    const watched = withTable(store, 'Setting', (table) => {
      const count = () => {
        statements += 1;
        return table.count([], 1);
      };
      return overrideTable(table, { count });
    });
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const core = new MemoryCore({ store: watched, vault, clock: impatientClock() });
    const written = core.backups.write(operator, () => {
      begun.resolve();
      return ended.promise;
    });
    await begun.promise;
    await eventually('three statements were run', () => statements >= 3);
    ended.resolve();
    await written;
  });
});
