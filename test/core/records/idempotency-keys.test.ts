import {
  type Actor,
  findResource,
  IdempotencyKeys,
  IdempotencyRecord,
  ReplayedResponse,
  type Tables,
} from '@horarium/core';
import { expect } from 'chai';
import { failure } from '../../support/failure.ts';
import { recordWorld, refusal, root, user } from '../../support/record-world.ts';
import { testHmac } from '../../support/test-hmac.ts';

const answer = { status: 201, headers: { ETag: '"v1"' }, body: new TextEncoder().encode('{"id":1}') };
const once = { scope: 'a', content: 'b' };

function repeater() {
  const world = recordWorld();
  const repeats = new IdempotencyKeys({
    store: world.store,
    find: findResource,
    signer: async () => testHmac,
  });
  const begin = (given = once, actor: Actor = root) =>
    world.store.transaction(actor, (tables) => repeats.begin(tables, actor, given));
  /** Saves a topic as a channel would. */
  const save = (name: string, given = once) =>
    world.records('Topic').save(
      root,
      { name },
      {},
      {
        before: (tables: Tables) => repeats.begin(tables, root, given),
        after: (tables: Tables, { row, created }) =>
          repeats.keep(tables, given, answer, { resource: 'Topic', row, created }),
      },
    );
  const count = () => world.store.read((tables) => tables.of(IdempotencyRecord).count());
  return { world, repeats, begin, save, count };
}

describe('a request that is sent again', () => {
  it('changes nothing and gets the first answer', async () => {
    const { world, save } = repeater();
    await save('first');
    const again = (await failure(save('second'))) as ReplayedResponse;
    expect(again).to.be.instanceOf(ReplayedResponse);
    expect(again.answer).to.deep.equal(answer);
    expect((await world.records('Topic').list(root)).rows.map((row) => row.name)).to.deep.equal(['first']);
  });

  it('is kept without anything that its content could be guessed by', async () => {
    const { world, save } = repeater();
    await save('first');
    const [row] = await world.store.read((tables) => tables.of(IdempotencyRecord).find());
    expect(row?.content).to.equal(testHmac('repeat b'));
  });

  it('is kept only when the change is', async () => {
    const { world, save, count } = repeater();
    await save('first');
    expect((await refusal(save('', { scope: 'c', content: 'b' }))).code).to.equal('invalid');
    expect(await count()).to.equal(1);
    const error = await failure(
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

  it('is refused when it says something else', async () => {
    const { begin, save } = repeater();
    await save('first');
    const error = await refusal(begin({ ...once, content: 'c' }));
    expect([error.code, error.name]).to.deep.equal(['conflict', 'IdempotencyConflict']);
  });

  it('is another one after a day', async () => {
    const { world, begin, save, repeats, count } = repeater();
    await save('first');
    world.advance(86_400_000 - 1);
    expect(await failure(begin())).to.be.instanceOf(ReplayedResponse);
    await world.store.transaction(root, (tables) => repeats.prune(tables));
    expect(await count()).to.equal(1);
    world.advance(1);
    await save('second');
    world.advance(86_400_000);
    await world.store.transaction(root, (tables) => repeats.prune(tables));
    expect(await count()).to.equal(0);
  });

  it('gets no answer when whoever sends it may not do it any more', async () => {
    const { begin, save } = repeater();
    await save('first');
    expect(await failure(begin(once, user(5, ['editor'])))).to.be.instanceOf(ReplayedResponse);
    expect((await refusal(begin(once, user(5, ['viewer'])))).code).to.equal('denied');
  });

  it('is refused in the same words when it was refused', async () => {
    const { begin, repeats } = repeater();
    await repeats.keepRefusal(once, { status: 422, headers: {}, body: null });
    const again = (await failure(begin(once, user(5, [])))) as ReplayedResponse;
    expect(again.answer).to.deep.equal({ status: 422, headers: {}, body: null });
    // What was answered first stays.
    await repeats.keepRefusal(once, { status: 404, headers: {}, body: null });
    expect(((await failure(begin())) as ReplayedResponse).answer.status).to.equal(422);
  });
});
