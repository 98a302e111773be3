import {
  type Actor,
  findResource,
  IdempotencyKeys,
  IdempotencyRecord,
  ReplayedResponse,
  type Tables,
  type TooManyRequests,
} from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { testHmac } from '../../support/secrets/test-hmac.ts';
import { recordWorld, refusal, root, user } from '../../support/worlds/record-world.ts';

const answer = { status: 201, headers: { ETag: '"v1"' }, body: new TextEncoder().encode('{"id":1}') };
const once = { scope: 'a', content: 'b' };

function repeater() {
  const world = recordWorld();
  const keys = new IdempotencyKeys({
    findResource,
    signer: async () => testHmac,
  });
  const begin = (given = once, actor: Actor = root) =>
    world.store.transaction(actor, (tables) => keys.begin(tables, actor, given));
  /** Saves a topic as a channel would. */
  const save = (name: string, given = once) =>
    world.records('Topic').save(
      root,
      { name },
      {},
      {
        before: (tables: Tables) => keys.begin(tables, root, given),
        after: (tables: Tables, { row, created }) =>
          keys.keep(tables, root, given, answer, { resource: 'Topic', row, created }),
      },
    );
  const count = () => world.store.read((tables) => tables.of(IdempotencyRecord).count());
  return { world, keys, begin, save, count };
}

describe('a request with an idempotency key', () => {
  it('that is sent again changes nothing and gets the first response', async () => {
    const { world, save } = repeater();
    await save('first');
    const again = (await rejectionOf(save('second'))) as ReplayedResponse;
    expect(again).to.be.instanceOf(ReplayedResponse);
    expect(again.answer).to.deep.equal(answer);
    expect((await world.records('Topic').list(root)).rows.map((row) => row.name)).to.deep.equal(['first']);
  });

  it('is stored without anything that its content could be guessed by', async () => {
    const { world, save } = repeater();
    await save('first');
    const [row] = await world.store.read((tables) => tables.of(IdempotencyRecord).find());
    expect(row?.content).to.equal(testHmac('idempotency b'));
  });

  it('is stored only when the change is made', async () => {
    const { world, save, count } = repeater();
    await save('first');
    expect((await refusal(save('', { scope: 'c', content: 'b' }))).code).to.equal('invalid');
    expect(await count()).to.equal(1);
    const error = await rejectionOf(
      world.records('Topic').save(
        root,
        { name: 'lost' },
        {},
        {
          after: async () => {
            throw new Error('the answer cannot be written');
          },
        },
      ),
    );
    expect(error.message).to.equal('the answer cannot be written');
    expect((await world.records('Topic').list(root, { filters: { name: 'lost' } })).rows).to.deep.equal([]);
  });

  it('is refused when its content differs from the first one', async () => {
    const { begin, save } = repeater();
    await save('first');
    const error = await refusal(begin({ ...once, content: 'c' }));
    expect([error.code, error.name]).to.deep.equal(['conflict', 'IdempotencyConflict']);
  });

  it('counts as a new one after a day', async () => {
    const { world, begin, save, keys, count } = repeater();
    await save('first');
    world.advance(86_400_000 - 1);
    expect(await rejectionOf(begin())).to.be.instanceOf(ReplayedResponse);
    await world.store.transaction(root, (tables) => keys.prune(tables));
    expect(await count()).to.equal(1);
    world.advance(1);
    await save('second');
    world.advance(86_400_000);
    await world.store.transaction(root, (tables) => keys.prune(tables));
    expect(await count()).to.equal(0);
  });

  it('gets no response once its sender may no longer make the change', async () => {
    const { begin, save } = repeater();
    await save('first');
    expect(await rejectionOf(begin(once, user(5, ['editor'])))).to.be.instanceOf(ReplayedResponse);
    expect((await refusal(begin(once, user(5, ['viewer'])))).code).to.equal('denied');
  });

  it('is refused with 429 by a user with 10 000 live keys, until the oldest of them is a day old', async () => {
    const { world, begin, save } = repeater();
    await save('first');
    world.advance(1000);
    await world.store.transaction(root, async (tables) => {
      const at = await tables.now();
      const rows = Array.from({ length: 9_999 }, (_, n) =>
        newRow(IdempotencyRecord, { scope: `other ${n}`, content: '', at }),
      );
      await tables.of(IdempotencyRecord).insert(rows);
    });
    const another = { scope: 'b', content: 'b' };
    const error = (await refusal(begin(another))) as TooManyRequests;
    expect([error.code, error.retryAfter]).to.deep.equal(['too_many_requests', 86_400_000 - 1000]);
    expect(await rejectionOf(begin())).to.be.instanceOf(ReplayedResponse);
    await begin(another, user(5, ['editor']));
    world.advance(86_400_000 - 1000);
    await begin(another);
  });
});
