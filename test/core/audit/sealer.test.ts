import { createHash } from 'node:crypto';
import { AuditLog, type HorariumError, type Store, type Table, type Tables, Topic, trustedActor } from '@horarium/core';
import { NodeVault } from '@horarium/core/node';
import { expect } from 'chai';
import { AuditedStore } from '#core/audit/audited-store';
import { readAuditHead } from '#core/audit/chain';
import { Sealer } from '#core/audit/sealer';
import { verifyAudit } from '#core/audit/verify';
import { rotationRules } from '#core/resources';
import { KeyManager } from '#core/secret/key-manager';
import { overrideTable, overrideTables, typedTable } from '#core/store/override-tables';
import { Setting } from '#core/store/setting';
import { newRow } from '#core/store/table';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { testHmac } from '../../support/secrets/test-hmac.ts';
import { AuditWorld } from '../../support/worlds/audit-world.ts';

/** Counts the rows that a store returns. */
function counting(store: Store): Store & { rows: number } {
  const counted = {
    rows: 0,
    kind: store.kind,
    close: () => store.close(),
    transaction: <T>(work: (tables: Tables) => Promise<T>, options?: object) =>
      store.transaction((tables) => {
        const of: Tables['of'] = (description) => {
          const table = tables.of(description) as unknown as Table;
          const find: Table['find'] = async (query?: object) => {
            const rows = await table.find(query);
            counted.rows += rows.length;
            return rows as never;
          };
          return typedTable(overrideTable(table, { find }), description);
        };
        return work(overrideTables(tables, { of }));
      }, options),
  };
  return counted;
}

describe('An audit entry', () => {
  it('is signed from its insertion, over a nonce that no other entry has', async () => {
    const world = new AuditWorld();
    await world.write(2);
    const entries = await world.entries();
    for (const { mac } of entries) expect(mac).to.match(/^[0-9a-f]{64}$/);
    expect(new Set(entries.map(({ nonce }) => nonce))).to.have.property('size', 2);
    const [{ id: _id, ...copy } = {}] = entries;
    expect(((await rejectionOf(world.insert(copy))) as HorariumError).code).to.equal('conflict');
    await world.seal();
    expect((await world.entries()).map(({ seq }) => seq)).to.deep.equal([1, 2]);
  });

  it('is signed as the store holds it, whatever values a change has', async () => {
    const world = new AuditWorld();
    const description = `\0 \uD800 é \u2028 "\\u0000"`;
    await world.audited.transaction(trustedActor('\0anna\uDC00'), (tables) =>
      tables.of(Topic).insert([{ name: 'a', description, color: null, revision: 1, created_at: 0, updated_at: 0 }]),
    );
    await world.seal();
    expect(await world.verify()).to.include({ checked: 1, problem: null });
  });

  it('is written by the audited store only', async () => {
    const { audited } = new AuditWorld();
    const write = audited.transaction(trustedActor('plugin'), (tables) =>
      // Another description of the same table makes no difference.
      tables.of({ ...AuditLog, name: 'Other' }).updateWhere([], { actor: 'nobody' }),
    );
    expect((await rejectionOf(write)).message).to.match(/^Entries of the audit log are written with the change/);
  });
});

describe('The sealer', () => {
  it('names and passes over entries that were not signed by the service, and seals the others', async () => {
    const world = new AuditWorld();
    await world.write(1);
    const [genuine] = await world.entries();
    const { id: _id, ...copy } = genuine as NonNullable<typeof genuine>;
    const forged = [
      await world.insert(),
      await world.insert({ mac: '' }),
      await world.insert({ ...copy, nonce: 'another nonce' }),
      await world.insert({ ...copy, nonce: 'yet another', entity_id: 2 }),
    ];
    await world.write(1);
    const sealer = world.newSealer();
    await world.seal(sealer);
    await world.write(1);
    await world.seal(sealer);
    await world.seal();
    expect(world.forged).to.deep.equal(forged);
    const entries = await world.entries();
    expect(entries.map(({ seq, forged }) => (forged ? 'forged' : seq))).to.deep.equal([
      1,
      ...forged.map(() => 'forged'),
      2,
      3,
    ]);
    for (const entry of entries.filter((each) => each.forged)) expect(entry).to.include({ seq: null, hash: null });
  });

  it('goes on after a tick whose entries another host has sealed since it counted them', async () => {
    const world = new AuditWorld();
    await world.write(1);
    let isFirst = true;
    const store: Store = {
      kind: world.store.kind,
      close: () => world.store.close(),
      async transaction(work, options) {
        const result = await world.store.transaction(work, options);
        if (isFirst) {
          isFirst = false;
          await world.seal();
        }
        return result;
      },
    };
    const sealer = new Sealer({ store, hmac: async () => testHmac, onForged: () => undefined });
    expect(await sealer.tick()).to.equal(500);
    await world.write(1);
    await sealer.tick();
    expect((await world.entries()).map(({ seq }) => seq)).to.deep.equal([1, 2]);
  });

  it('reads a forged entry once, so that a thousand cost a later tick nothing', async () => {
    const world = new AuditWorld();
    const ids = [];
    for (let count = 0; count < 1000; count += 1) ids.push(await world.insert());
    await world.writeSealed(1);
    expect(world.forged).to.deep.equal(ids);
    const store = counting(world.store);
    const sealer = new AuditWorld({ clock: world.clock, store }).newSealer();
    await sealer.tick();
    expect(store.rows).to.equal(0);
    await world.write(1);
    await sealer.tick();
    // The entry and before it its id, those with its nonce, and the head of the chain.
    expect(store.rows).to.equal(4);
  });

  it('goes on behind entries that were inserted as if they were sealed, and leaves their numbers out', async () => {
    const world = new AuditWorld();
    await world.writeSealed(2);
    const hash = 'f'.repeat(64);
    const forged = [
      await world.insert({ seq: 3, hash }),
      await world.insert({ seq: 5, hash }),
      await world.insert({ seq: Number.MAX_SAFE_INTEGER, hash }),
    ];
    const sealer = world.newSealer();
    await world.write(2);
    await world.seal(sealer);
    await world.write(1);
    await world.seal(sealer);
    expect(world.forged).to.deep.equal(forged);
    const sealed = (await world.entries()).filter(({ entity_type }) => entity_type === 'Topic');
    expect(sealed.map(({ seq }) => seq)).to.deep.equal([1, 2, 4, 6, 7]);
    expect((await world.verify()).problem).to.match(
      /^Audit entry 3 \(update of App 1, seq 3\) was changed or inserted/,
    );
  });

  it('goes on behind thousands of entries that were inserted as if they were sealed', async () => {
    const world = new AuditWorld();
    await world.writeSealed(1);
    for (let seq = 2; seq < 4500; seq += 1) await world.insert({ seq, hash: 'f'.repeat(64) });
    await world.writeSealed(2);
    expect((await world.entries()).slice(-2).map(({ seq }) => seq)).to.deep.equal([4500, 4501]);
  });

  for (const [harm, value] of [
    ['removed', undefined],
    ['changed', `99:${'0'.repeat(64)}:${'0'.repeat(64)}`],
    ['replaced by nonsense', 'nonsense'],
    ['replaced by an older one', 'older'],
  ] as const)
    it(`goes on where its note of the head was ${harm}`, async () => {
      const world = new AuditWorld();
      await world.writeSealed(1);
      const noted = await world.store.transaction(async (tables) => {
        const [row] = await tables.of(Setting).find({ where: [['name', '=', 'audit head']] });
        return row?.value;
      });
      await world.writeSealed(2);
      await world.insert({ seq: 50, hash: 'f'.repeat(64) });
      await world.store.transaction(async (tables) => {
        const where = [['name', '=', 'audit head']] as const;
        if (value === undefined) await tables.of(Setting).delete(where);
        else await tables.of(Setting).updateWhere(where, { value: value === 'older' ? (noted ?? null) : value });
      });
      await world.writeSealed(1);
      expect((await world.entries()).map(({ seq }) => seq)).to.deep.equal([1, 2, 3, 50, 4]);
      const head = await world.store.transaction(readAuditHead);
      expect(head).to.deep.equal({ seq: 4, hash: (await world.entries()).at(-1)?.hash });
    });

  it('verifies by the audit key of the store', async () => {
    const world = new AuditWorld();
    await world.write(1);
    const [entry] = await world.entries();
    // The text that is signed, as it is documented: canonical JSON, in which `changes` is the JSON text of the database.
    const { action, actor, channel, company_id, created_at, entity_id, entity_type, ip, nonce, request_id, user_id } =
      entry as NonNullable<typeof entry>;
    const changes = JSON.stringify(entry?.changes);
    const text = `{"action":"${action}","actor":"${actor}","changes":${JSON.stringify(changes)},"channel":"${channel}","company_id":${company_id},"created_at":${created_at},"entity_id":${entity_id},"entity_type":"${entity_type}","ip":${ip},"nonce":"${nonce}","request_id":${request_id},"user_id":${user_id}}`;
    expect(entry?.mac).to.equal(testHmac(text));
    await world.seal();
    const sealed = (await world.entries())[0];
    const seal = `${'0'.repeat(64)}{"id":${entry?.id},"mac":"${entry?.mac}","seq":1,${text.slice(1)}`;
    expect(sealed?.hash).to.equal(testHmac(seal));
  });

  it('seals what hosts with a retired vault key have signed, during a rotation and after it', async () => {
    const key = (name: string) => createHash('sha256').update(name).digest('base64');
    const { store } = new AuditWorld();
    const managerWith = (...names: string[]) =>
      new KeyManager({ store, vault: new NodeVault(names.map(key).join()), ...rotationRules() });
    const writerWith = (manager: KeyManager) => new AuditedStore(store, (tables) => manager.auditKeyIn(tables));
    const write = (writer: AuditedStore, name: string) =>
      writer.transaction(trustedActor('anna'), (tables) => tables.of(Topic).insert([newRow(Topic, { name })]));
    const older = managerWith('a');
    await older.check();
    await write(writerWith(older), 'before');
    await managerWith('b', 'a').rotate();
    // This host was started before the rotation, and goes on.
    await write(writerWith(older), 'after');
    const rejected = await rejectionOf(write(writerWith(managerWith('a')), 'started later'));
    expect(rejected.message).to.match(/^A stored secret cannot be decrypted: its key /);
    const newer = managerWith('b');
    const forged: number[] = [];
    const sealer = new Sealer({ store, hmac: () => newer.auditKey(), onForged: (ids) => void forged.push(...ids) });
    await sealer.tick();
    expect(forged).to.deep.equal([]);
    expect(await verifyAudit(store, await newer.auditKey())).to.include({ checked: 2, open: 0, problem: null });
  });
});
