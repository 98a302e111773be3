import { type ChangeNotice, type Core, HorariumError, type Store, trustedActor, User } from '@horarium/core';
import { expect } from 'chai';
import type { FollowedChanges } from '#core/audit/feed/record-changes';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { user } from '../../support/worlds/record-world.ts';
import { EmbeddingWorld } from './embedding-world.ts';

const me = trustedActor('test');

/** Reads an iteration to its end. @returns what it yields, as it comes. */
function collect<T>(iteration: AsyncIterable<T>) {
  const items: T[] = [];
  const ended = (async () => {
    for await (const item of iteration) items.push(item);
  })();
  return { items, ended };
}

const shown = (notices: readonly ChangeNotice[]) =>
  notices.map(({ action, entity_type, entity_id, fields }) => [action, entity_type, entity_id, fields.join()]);

describe('A watch of changes', () => {
  let world: EmbeddingWorld;
  let core: Core;
  beforeEach(() => {
    world = new EmbeddingWorld();
    core = world.core();
  });

  const saveCompany = (code: string) => core.companies.save(me, { code, name: code });

  it('yields every change of every kind of record once, and those of one record in order', async () => {
    const { items, ended } = collect(core.changes.watch());
    const { id } = await saveCompany('acme');
    const app = await core.apps.save(me, { name: 'a', executable: '/bin/a' });
    await core.companies.save(me, { name: 'Acme' }, { id });
    await core.companies.delete(me, id);
    await world.time.pass(100);
    await world.during(core.stop());
    await ended;
    expect(shown(items).map((each) => each.slice(0, 3))).to.deep.equal([
      ['create', 'Company', id],
      ['create', 'App', app.id],
      ['update', 'Company', id],
      ['delete', 'Company', id],
    ]);
    expect(items[2]).to.deep.include({ fields: ['name'], company_id: id });
    expect(items.map((item) => item.id)).to.deep.equal(items.map((item) => item.id).toSorted((a, b) => a - b));
  });

  it('yields only the kinds that it names, and refuses one that does not exist', async () => {
    const { items, ended } = collect(core.changes.watch(undefined, { kinds: ['App'] }));
    await saveCompany('acme');
    await core.apps.save(me, { name: 'a', executable: '/bin/a' });
    await world.time.pass(100);
    await world.during(core.stop());
    await ended;
    expect(items.map(({ entity_type }) => entity_type)).to.deep.equal(['App']);
    expect(() => core.changes.watch(undefined, { kinds: ['Aps'] })).to.throw(
      HorariumError,
      'There is no resource "Aps". Did you mean App?',
    );
  });

  it('yields only what its actor may see: of a company, what its members see, and Apps if she manages one', async () => {
    const acme = await saveCompany('acme');
    await saveCompany('other');
    const watches = (['viewer', 'manager'] as const).map((role) =>
      collect(core.changes.watch(user(7, [], { [acme.id]: role }))),
    );
    await core.apps.save(me, { name: 'a', executable: '/bin/a' });
    for (const company of ['acme', 'other']) await core.every('daily', `work-${company}`, () => undefined, { company });
    await core.records(User).save(me, { login: 'jane', password: 'a good password', email: 'jane@example.com' });
    await core.companies.save(me, { name: 'Acme' }, { id: acme.id });
    await world.time.pass(100);
    await world.during(core.stop());
    const [viewed, managed] = await Promise.all(
      watches.map(async ({ items, ended }) => {
        await ended;
        expect(items.every(({ company_id }) => company_id === null || company_id === acme.id)).to.equal(true);
        return items.map(({ entity_type }) => entity_type);
      }),
    );
    expect(viewed).to.deep.equal(['RunTemplate', 'Company']);
    expect(managed?.filter((kind) => kind !== 'App')).to.deep.equal(viewed);
    expect(managed).to.include('App');
  });

  it('costs no read while it is not watched, and one read for each poll however many watch', async () => {
    let reads = 0;
    const { store } = world;
    const counted: Store = {
      ...store,
      kind: store.kind,
      transaction: (work, options) => {
        reads++;
        return store.transaction(work, options);
      },
      close: () => store.close(),
    };
    const watching = world.core({ store: counted });
    await world.time.pass(3_600_000);
    expect(reads).to.equal(0);
    const abort = new AbortController();
    const iterations = Array.from({ length: 50 }, () => collect(watching.changes.watch(undefined, abort)));
    await world.time.pass(2000);
    const readsBefore = reads;
    await world.time.pass(60_000);
    expect(reads - readsBefore).to.be.within(58, 62);
    await saveCompany('acme');
    await world.time.pass(2000);
    for (const { items } of iterations) expect(shown(items)[0]?.slice(0, 2)).to.deep.equal(['create', 'Company']);
    abort.abort();
    await Promise.all(iterations.map(({ ended }) => ended));
    await world.time.pass(2000);
    const readsAtEnd = reads;
    await world.time.pass(3_600_000);
    expect(reads).to.equal(readsAtEnd);
    await world.during(watching.stop());
  });

  it('goes on where it was when the store was unavailable', async () => {
    let isAvailable = true;
    const { store } = world;
    const interrupted: Store = {
      ...store,
      kind: store.kind,
      transaction: async (work, options) => {
        if (!isAvailable) throw new HorariumError('unavailable', 'The database does not answer.');
        return store.transaction(work, options);
      },
      close: () => store.close(),
    };
    const watching = world.core({ store: interrupted });
    const { items, ended } = collect(watching.changes.watch());
    await world.time.pass(100);
    isAvailable = false;
    await saveCompany('acme');
    await world.time.pass(10_000);
    expect(items).to.deep.equal([]);
    isAvailable = true;
    await world.time.pass(1500);
    expect(items.map(({ entity_type }) => entity_type)).to.deep.equal(['Company']);
    await world.during(watching.stop());
    await ended;
  });

  it('reads at once when a hint of another process arrives', async () => {
    let hint: () => void = () => undefined;
    const hinted: Store = {
      ...world.store,
      kind: world.store.kind,
      transaction: (work, options) => world.store.transaction(work, options),
      close: () => world.store.close(),
      hints: {
        open: (onHint) => {
          hint = onHint;
          return { send: () => undefined, close: async () => undefined };
        },
      },
    };
    const watching = world.core({ store: hinted });
    await watching.start();
    const { items, ended } = collect(watching.changes.watch());
    await world.time.pass(10_010);
    await saveCompany('acme');
    hint();
    await world.time.pass(60);
    expect(items.map(({ entity_type }) => entity_type)).to.deep.equal(['Company']);
    await world.during(watching.stop());
    await ended;
  });

  describe('in batches, for clients that connect again,', () => {
    const follow = (options: { after?: number; signal?: AbortSignal; quiet?: number } = {}, actor = async () => me) =>
      core.changes.follow(actor, { quiet: 15_000, ...options });
    const kindsOf = (batches: readonly FollowedChanges[]) =>
      batches.flatMap(({ changes }) => changes.map(({ entity_type }) => entity_type));
    /** Seals what was changed so far. @returns the last entry of the chain. */
    const sealed = async () => {
      const batch = follow().next();
      await world.time.pass(2000);
      return ((await batch).value as FollowedChanges).after;
    };

    it('begins with an empty batch, and has one after each quiet period', async () => {
      const { items, ended } = collect(follow());
      await world.time.pass(10);
      expect(items).to.have.length(1);
      await world.time.pass(46_000);
      expect(items.map(({ changes }) => changes.length)).to.deep.equal([0, 0, 0, 0]);
      await world.during(core.stop());
      await ended;
    });

    it('goes on behind the entry that the client names', async () => {
      await core.start();
      await saveCompany('one');
      await world.time.pass(5000);
      const after = await sealed();
      await saveCompany('two');
      await world.time.pass(5000);
      const { items, ended } = collect(follow({ after }));
      await world.time.pass(100);
      expect([items.some(({ isReset }) => isReset), kindsOf(items)]).to.deep.equal([false, ['Company']]);
      await world.during(core.stop());
      await ended;
    });

    it('resets a client that names an entry which the log has not, or is more than 1,000 entries behind', async () => {
      await core.start();
      for (let n = 0; n < 1002; n++) await saveCompany(`c${n}`);
      await world.time.pass(20_000);
      for (const after of [0, 1_000_000]) {
        const { items, ended } = collect(follow({ after }));
        await world.time.pass(100);
        expect([items.at(-1)?.isReset, kindsOf(items)], `after ${after}`).to.deep.equal([true, []]);
        await saveCompany(`behind${after}`);
        await world.time.pass(100);
        expect(kindsOf(items)).to.deep.equal(['Company']);
        void ended;
      }
      await world.during(core.stop());
    });

    for (const [count, isReset] of [
      [1500, false],
      [3000, true],
    ] as const)
      it(`${isReset ? 'resets' : 'loses nothing for'} a client that takes nothing during ${count} changes, while others go on`, async () => {
        await core.start();
        const slow = follow();
        const first = slow.next();
        const { items, ended } = collect(follow());
        await world.time.pass(10);
        await first;
        for (let n = 1; n <= count; n++) {
          await saveCompany(`c${n}`);
          if (n % 100 === 0) await world.time.pass(100);
        }
        await world.time.pass(20_000);
        expect([items.some((batch) => batch.isReset), kindsOf(items).length]).to.deep.equal([false, count]);
        const later = collect(slow);
        await world.time.pass(20_000);
        await world.during(core.stop());
        await Promise.all([ended, later.ended]);
        expect(later.items.some((batch) => batch.isReset)).to.equal(isReset);
        if (!isReset) expect(kindsOf(later.items)).to.have.length(count);
      });

    it('ends after the next quiet period at the latest when the client may no longer sign in', async () => {
      let mayLogin = true;
      const authenticate = async () => {
        if (!mayLogin) throw new HorariumError('unauthenticated', 'The token is revoked.');
        return me;
      };
      const { ended } = collect(follow({}, authenticate));
      const failure = rejectionOf(ended);
      await world.time.pass(10);
      mayLogin = false;
      await world.time.pass(16_000);
      expect((await failure).message).to.equal('The token is revoked.');
    });
  });
});
