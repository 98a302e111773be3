import { type AuditEntry, AuditLog, type Where } from '@horarium/core';
import { expect } from 'chai';
import { Setting } from '#core/store/setting';
import { AuditWorld, type ForgedEntry } from '../../support/worlds/audit-world.ts';

describe('Verifying the audit log', () => {
  /** A world with five sealed entries; their ids are their numbers in the chain. */
  async function sealedWorld(): Promise<AuditWorld> {
    const world = new AuditWorld();
    await world.writeSealed(5);
    return world;
  }

  const change = (world: AuditWorld, id: number, set: ForgedEntry) =>
    world.store.transaction((tables) => tables.of(AuditLog).updateWhere([['id', '=', id]], set as never));

  const remove = (world: AuditWorld, where: Where<AuditEntry>) =>
    world.store.transaction((tables) => tables.of(AuditLog).delete(where));

  it('finds nothing wrong with what the service wrote', async () => {
    const world = await sealedWorld();
    const hash = (await world.entries()).at(-1)?.hash;
    const head = { seq: 5, hash };
    expect(await world.verify()).to.deep.equal({
      checked: 5,
      archived: 0,
      open: 0,
      head,
      problem: null,
      warning: null,
    });
    expect((await new AuditWorld().verify()).problem).to.equal(null);
  });

  const three = 'Audit entry 3 (create of Topic 3, seq 3)';
  const harms: readonly (readonly [string, string, (world: AuditWorld) => Promise<unknown>])[] = [
    ['was changed', `${three} was changed or inserted.`, (world) => change(world, 3, { actor: 'eve' })],
    [
      'was changed in what it records',
      `${three} was changed or inserted.`,
      (world) => change(world, 3, { changes: { name: [null, '9'] } }),
    ],
    ['has another hash', `${three} was changed or inserted.`, (world) => change(world, 3, { hash: '0'.repeat(64) })],
    ['has another MAC', `${three} was changed or inserted.`, (world) => change(world, 3, { mac: '0'.repeat(64) })],
    [
      'was marked as forged',
      `${three} is sealed, but was marked as forged.`,
      (world) => change(world, 3, { forged: true }),
    ],
    [
      'was removed',
      'Entry 3 was removed: Audit entry 4 (create of Topic 4, seq 4) follows 2.',
      (world) => remove(world, [['id', '=', 3]]),
    ],
    [
      'was taken out of the chain',
      'Entry 3 was removed: Audit entry 4 (create of Topic 4, seq 4) follows 2.',
      (world) => change(world, 3, { seq: null, hash: null }),
    ],
    [
      'was moved before the first one',
      'Audit entry 3 (create of Topic 3, seq -1) was changed or inserted.',
      (world) => change(world, 3, { seq: -1 }),
    ],
    [
      'was inserted with a seq',
      'Audit entry 6 (update of App 1, seq 6) was changed or inserted.',
      (world) => world.insert({ seq: 6, hash: '0'.repeat(64) }),
    ],
    [
      'was inserted far behind the others',
      'Audit entry 6 (update of App 1, seq 99) was changed or inserted.',
      (world) => world.insert({ seq: 99, hash: '0'.repeat(64) }),
    ],
    [
      'was inserted and not read by the sealer yet',
      'Audit entry 6 (update of App 1) was inserted past the service.',
      (world) => world.insert(),
    ],
    [
      'was inserted and found by the sealer',
      'Audit entry 6 (update of App 1) was inserted past the service.',
      async (world) => {
        await world.insert();
        await world.seal();
      },
    ],
    [
      'was inserted with control characters',
      'Audit entry 6 (up date of App 1) was inserted past the service.',
      (world) => world.insert({ action: 'up\u001b\u0007date' as never }),
    ],
    [
      'was hidden from the sealer',
      'Audit entry 6 (create of Topic 6) was marked as forged, but the service wrote it.',
      async (world) => {
        await world.write(1);
        await change(world, 6, { forged: true });
      },
    ],
    [
      'was cut off at the end',
      'The log ends at 3, but the head that was noted is 5: the entries after 3 were cut off.',
      (world) => remove(world, [['id', '>', 3]]),
    ],
    [
      'cannot be proved, because the head was removed',
      'The head of the audit log that the sealer stored was removed.',
      (world) => world.store.transaction((tables) => tables.of(Setting).delete([['name', '=', 'audit head']])),
    ],
    [
      'cannot be proved, because the head was changed',
      'The head of the audit log that the sealer stored was changed.',
      (world) =>
        world.store.transaction((tables) =>
          tables.of(Setting).updateWhere([['name', '=', 'audit head']], { value: `9:${'0'.repeat(64)}:x` }),
        ),
    ],
  ];
  for (const [title, problem, harm] of harms)
    it(`names the first entry that ${title}`, async () => {
      const world = await sealedWorld();
      await harm(world);
      expect((await world.verify()).problem).to.equal(problem);
    });

  it('proves by a head that was noted elsewhere that nothing was cut off since', async () => {
    const world = await sealedWorld();
    const { head } = await world.verify();
    await world.writeSealed(1);
    expect((await world.verify(head)).problem).to.equal(null);
    expect((await world.verify({ ...head, hash: '0'.repeat(64) })).problem).to.equal(
      'Audit entry 5 (create of Topic 5, seq 5) is not the one that was noted.',
    );
    expect((await world.verify({ ...head, seq: 7 })).problem).to.match(
      /^The log ends at 6, but the head that was noted is 7:/,
    );
  });

  it('warns of entries that a sealer would have sealed long ago, and not of the latest', async () => {
    const world = await sealedWorld();
    await world.write(2);
    world.advance(9000);
    await world.write(1);
    expect(await world.verify()).to.include({ open: 3, problem: null, warning: null });
    world.advance(2000);
    const { problem, warning } = await world.verify();
    expect(problem).to.equal(null);
    expect(warning).to.match(
      /^3 entries are not sealed, one of them for 11 s: nothing proves yet that none was removed/,
    );
    await world.seal();
    expect(await world.verify()).to.include({ open: 0, warning: null });
    await world.write(1);
    world.advance(12_000);
    expect((await world.verify()).warning).to.match(/^1 entry has not been sealed for 12 s: nothing proves yet/);
  });
});
