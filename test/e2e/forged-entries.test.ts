import { allTables, systemClock, Topic, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { AuditedStore } from '#core/audit/audited-store';
import { newRow } from '#core/store/table';
import { openStore } from '../../adapters/mikro-orm/open-store.ts';
import { copyOf } from '../support/faults/forged-entry.ts';
import { ServiceWorld, type StoreKind } from '../support/faults/service-world.ts';
import { eventually } from '../support/mocha/eventually.ts';

for (const kind of ['sqlite', 'postgresql'] as const satisfies readonly StoreKind[])
  describe(`A running service on ${kind}`, () => {
    it('names the audit entries that somebody inserts past it, shows them as forged, and seals the others', async () => {
      await using world = await ServiceWorld.create(kind);
      const { service } = await world.startService();
      await world.execute(copyOf(1, { nonce: "'copied'" }));
      await world.execute(
        copyOf(1, {
          nonce: "'invented'",
          actor: "'nobody'",
          ...(kind === 'sqlite' && { changes: "'no json'", created_at: "'no time'" }),
        }),
      );
      await world.run('topic:save', '--name', 'genuine');
      // biome-ignore lint/suspicious/noExplicitAny: the JSON of a command may have any shape.
      const entries = await eventually('the genuine entry is sealed', async (): Promise<any[] | false> => {
        const all = await world.run('auditlog:list', '--order', 'id');
        return all.every((each: { seq: unknown; forged: unknown }) => each.seq !== null || each.forged) && all;
      });
      const forged = entries.filter((entry) => entry.forged);
      expect(forged).to.have.length(2);
      for (const entry of forged) expect(entry).to.include({ seq: null, hash: null });
      expect(entries.at(-1)).to.include({ entity_type: 'Topic', forged: false });
      await eventually('the service names both', async () => {
        const lines = service.log.filter(({ security }) => security === 'audit_forged');
        const ids = lines.flatMap((line) => line['entry_ids']);
        return ids.length === forged.length && expect(ids).to.deep.equal(forged.map(({ id }) => id));
      });
      const { code, err } = await world.cli.command('audit:verify');
      expect(code).to.equal(1);
      expect(err).to.match(
        new RegExp(`^Audit entry ${forged[0].id} \\(create of .* 1\\) was inserted past the service\\.\n$`),
      );
    });
  });

describe('audit:verify on SQLite', () => {
  it('warns of entries that were left unsealed, and succeeds', async () => {
    await using world = await ServiceWorld.create('sqlite');
    expect(await world.cli.command('audit:verify')).to.include({ code: 0, err: '' });
    const clock = { ...systemClock, now: () => Date.now() - 3_600_000 };
    const url = world.cli.environment['HORARIUM_DATABASE_URL'] as string;
    await using store = await openStore({ url, tables: allTables, clock });
    await new AuditedStore(store, async () => world.auditHmac).transaction(trustedActor('anna'), (tables) =>
      tables.of(Topic).insert([newRow(Topic, { name: 'left unsealed' })]),
    );
    const { code, out, err } = await world.cli.command('audit:verify');
    expect(code).to.equal(0);
    expect(out).to.match(/intact +true/);
    expect(err).to.match(/entries are not sealed, one of them for 36\d\d s: nothing proves yet that none was removed/);
  });
});
