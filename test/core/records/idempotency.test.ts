import {
  type Actor,
  byRole,
  defineResource,
  findResource,
  IdempotencyKeys,
  IdempotencyRecord,
  integer,
  ReplayedResponse,
  type TooManyRequests,
  Topic,
  text,
} from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { testHmac } from '../../support/secrets/test-hmac.ts';
import { recordWorld, refusal, root, user } from '../../support/worlds/record-world.ts';

const response = { status: 201, headers: { ETag: '"v1"' }, body: new TextEncoder().encode('{"id":1}') };
const request = { scope: 'a', fingerprint: 'b' };

/** Documents, which only those who wrote them may change. */
const Document = defineResource({
  name: 'Document',
  names: { singular: 'document', plural: 'documents', id: 'documentId' },
  description: 'A document.',
  example: { author_id: 1 },
  operations: ['save'],
  permissions: byRole(
    { read: true, write: true },
    {
      fields: ['author_id'],
      refuse: async ({ userId }, { author_id }) => (author_id === userId ? undefined : 'The author alone changes it.'),
    },
  ),
  company: null,
  fields: { author_id: integer().required(), text: text(255) },
});

function idempotencyWorld() {
  const world = recordWorld();
  const keys = new IdempotencyKeys({
    findResource: (name) => findResource(name, [Topic, Document]),
    signer: async () => testHmac,
  });
  const claim = (sent = request, actor: Actor = root) =>
    world.store.transaction(actor, (tables) => keys.claim(tables, actor, sent));
  const replay = (sent = request) => world.store.read((tables) => keys.replay(tables, root, sent));
  /** Saves a topic under the key, as a channel does. */
  const save = (name: string, sent = request, usedKeys = keys) =>
    world.store.transaction(root, async (tables) => {
      await usedKeys.claim(tables, root, sent);
      const { row, created } = await world.records('Topic').saveIn(tables, root, { name }, {});
      await usedKeys.store(tables, root, sent, response, { resource: 'Topic', row, created });
    });
  const count = () => world.store.read((tables) => tables.of(IdempotencyRecord).count());
  return { world, keys, claim, replay, save, count };
}

describe('A request with an idempotency key', () => {
  it('changes nothing when it is sent again, and gets the first response', async () => {
    const { world, save } = idempotencyWorld();
    await save('first');
    const replay = (await rejectionOf(save('second'))) as ReplayedResponse;
    expect(replay).to.be.instanceOf(ReplayedResponse);
    expect(replay.response).to.deep.equal(response);
    expect((await world.records('Topic').list(root)).rows.map((row) => row.name)).to.deep.equal(['first']);
  });

  it('finds the stored response by a read, as long as its key is live', async () => {
    const { world, replay, save } = idempotencyWorld();
    expect(await replay()).to.equal(null);
    await save('first');
    expect(await replay()).to.deep.equal(response);
    expect((await refusal(replay({ ...request, fingerprint: 'c' }))).code).to.equal('conflict');
    world.advance(86_400_000);
    expect(await replay()).to.equal(null);
  });

  it('is stored with an HMAC of its content, from which the content cannot be guessed', async () => {
    const { world, save } = idempotencyWorld();
    await save('first');
    const [row] = await world.store.read((tables) => tables.of(IdempotencyRecord).find());
    expect(row?.content).to.equal(testHmac('idempotency b'));
  });

  it('is stored only if its change is committed, and its change only if the response is stored', async () => {
    const { world, save, count } = idempotencyWorld();
    await save('first');
    expect((await refusal(save('', { scope: 'c', fingerprint: 'b' }))).code).to.equal('invalid');
    expect(await count()).to.equal(1);
    const signer = () => Promise.reject(new Error('the response cannot be written'));
    const brokenKeys = new IdempotencyKeys({ findResource, signer });
    const error = await rejectionOf(save('lost', { scope: 'c', fingerprint: 'b' }, brokenKeys));
    expect(error.message).to.equal('the response cannot be written');
    expect((await world.records('Topic').list(root, { filters: { name: 'lost' } })).rows).to.deep.equal([]);
  });

  it('is rejected when its content differs from that of the first request with the key', async () => {
    const { claim, save } = idempotencyWorld();
    await save('first');
    const error = await refusal(claim({ ...request, fingerprint: 'c' }));
    expect([error.code, error.name]).to.deep.equal(['conflict', 'IdempotencyConflict']);
  });

  it('is run again after a day, when its key has expired', async () => {
    const { world, claim, save, keys, count } = idempotencyWorld();
    await save('first');
    world.advance(86_400_000 - 1);
    expect(await rejectionOf(claim())).to.be.instanceOf(ReplayedResponse);
    await world.store.transaction(root, (tables) => keys.prune(tables));
    expect(await count()).to.equal(1);
    world.advance(1);
    await save('second');
    world.advance(86_400_000);
    await world.store.transaction(root, (tables) => keys.prune(tables));
    expect(await count()).to.equal(0);
  });

  it('gets no stored response once its sender may no longer make the change', async () => {
    const { claim, save } = idempotencyWorld();
    await save('first');
    expect(await rejectionOf(claim(request, user(5, ['editor'])))).to.be.instanceOf(ReplayedResponse);
    expect((await refusal(claim(request, user(5, ['viewer'])))).code).to.equal('denied');
  });

  it('gets the stored response as the rules of its resource decide by the fields that they name', async () => {
    const { world, keys, claim } = idempotencyWorld();
    const author = user(5, ['viewer']);
    const row = { id: 1, author_id: 5, text: 'secret' };
    await world.store.transaction(author, (tables) =>
      keys.store(tables, author, request, response, { resource: 'Document', row, created: false }),
    );
    expect(await rejectionOf(claim(request, author))).to.be.instanceOf(ReplayedResponse);
    expect((await refusal(claim(request, user(6, ['viewer'])))).code).to.equal('denied');
    const [stored] = await world.store.read((tables) => tables.of(IdempotencyRecord).find());
    expect(stored?.subject?.row).to.deep.equal({ author_id: 5 });
  });

  it('is rejected as too_many_requests from a user with 10 000 live keys, until the oldest of them expires', async () => {
    const { world, claim, save } = idempotencyWorld();
    await save('first');
    world.advance(1000);
    await world.store.transaction(root, async (tables) => {
      const at = await tables.now();
      const rows = Array.from({ length: 9_999 }, (_, n) =>
        newRow(IdempotencyRecord, { scope: `other ${n}`, content: '', at }),
      );
      await tables.of(IdempotencyRecord).insert(rows);
    });
    const furtherRequest = { scope: 'b', fingerprint: 'b' };
    const error = (await refusal(claim(furtherRequest))) as TooManyRequests;
    expect([error.code, error.retryAfter]).to.deep.equal(['too_many_requests', 86_400_000 - 1000]);
    expect(await rejectionOf(claim())).to.be.instanceOf(ReplayedResponse);
    await claim(furtherRequest, user(5, ['editor']));
    world.advance(86_400_000 - 1000);
    await claim(furtherRequest);
  });
});
