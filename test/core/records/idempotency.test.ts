import {
  type Actor,
  byRole,
  defineResource,
  integer,
  ReplayedResponse,
  type TooManyRequests,
  Topic,
  text,
} from '@horarium/core';
import { expect } from 'chai';
import { IdempotencyKeys, IdempotencyRecord } from '#core/records/idempotency';
import { findResource } from '#core/resources';
import { newRow } from '#core/store/table';
import { day } from '#core/time/duration';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { testHmac } from '../../support/secrets/test-hmac.ts';
import { recordWorld, refusal, root, user } from '../../support/worlds/record-world.ts';

const response = { status: 201, headers: { ETag: '"v1"' }, body: new TextEncoder().encode('{"id":1}') };
/** Stands for the digests that a channel makes of a request and its key. */
const request = { scope: 'scope', fingerprint: 'fingerprint' };
const otherRequest = { scope: 'other scope', fingerprint: 'fingerprint' };

/** Documents, which only those who wrote them may change. */
const Document = defineResource({
  name: 'Document',
  names: { singular: 'document', plural: 'documents', id: 'documentId' },
  description: 'A document.',
  example: { author_id: 1 },
  operations: ['save'],
  permissions: byRole(
    { read: 'everybody', write: 'everybody' },
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
      const row = await world.records('Topic').saveIn(tables, root, { name });
      await usedKeys.store(tables, root, sent, response, { resource: 'Topic', row, created: row.created });
    });
  const prune = () => world.store.transaction(root, (tables) => keys.prune(tables));
  const countStored = () => world.store.read((tables) => tables.of(IdempotencyRecord).count());
  return { world, keys, claim, replay, save, prune, countStored };
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

  it('has a stored response, which a read finds as long as its key is live', async () => {
    const { world, replay, save } = idempotencyWorld();
    expect(await replay()).to.equal(null);
    await save('first');
    expect(await replay()).to.deep.equal(response);
    expect((await refusal(replay({ ...request, fingerprint: 'other fingerprint' }))).code).to.equal('conflict');
    world.advance(day);
    expect(await replay()).to.equal(null);
  });

  it('is stored with an HMAC of its fingerprint, from which its body cannot be guessed', async () => {
    const { world, save } = idempotencyWorld();
    await save('first');
    const [row] = await world.store.read((tables) => tables.of(IdempotencyRecord).find());
    expect(row?.fingerprint_hmac).to.equal(testHmac('idempotency fingerprint'));
  });

  it('is not stored when its change is refused', async () => {
    const { save, countStored } = idempotencyWorld();
    await save('first');
    expect((await refusal(save('', otherRequest))).code).to.equal('invalid');
    expect(await countStored()).to.equal(1);
  });

  it('changes nothing when its response cannot be stored', async () => {
    const { world, save } = idempotencyWorld();
    await save('first');
    const signer = () => Promise.reject(new Error('the response cannot be stored'));
    const brokenKeys = new IdempotencyKeys({ findResource, signer });
    const error = await rejectionOf(save('lost', otherRequest, brokenKeys));
    expect(error.message).to.equal('the response cannot be stored');
    expect((await world.records('Topic').list(root, { filters: { name: 'lost' } })).rows).to.deep.equal([]);
  });

  it('is rejected when another request with its key was carried out before', async () => {
    const { claim, save } = idempotencyWorld();
    await save('first');
    const error = await refusal(claim({ ...request, fingerprint: 'other fingerprint' }));
    expect([error.code, error.name]).to.deep.equal(['conflict', 'IdempotencyConflict']);
  });

  it('is carried out again after a day, when its key has expired', async () => {
    const { world, claim, save, prune, countStored } = idempotencyWorld();
    await save('first');
    world.advance(day - 1);
    expect(await rejectionOf(claim())).to.be.instanceOf(ReplayedResponse);
    await prune();
    expect(await countStored()).to.equal(1);
    world.advance(1);
    await save('second');
    world.advance(day);
    await prune();
    expect(await countStored()).to.equal(0);
  });

  it('is denied the stored response once its sender may no longer make the change', async () => {
    const { claim, save } = idempotencyWorld();
    await save('first');
    expect(await rejectionOf(claim(request, user(5, ['editor'])))).to.be.instanceOf(ReplayedResponse);
    expect((await refusal(claim(request, user(5, ['viewer'])))).code).to.equal('denied');
  });

  it('gets the stored response only if the permissions of its resource allow the change of the stored fields', async () => {
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

  it('is rejected as too_many_requests while its sender has 10 000 live keys', async () => {
    const { world, claim, save } = idempotencyWorld();
    await save('first');
    world.advance(1000);
    await world.store.transaction(root, async (tables) => {
      // The sender is `root`, which has no user id, as these rows have none.
      const common = { fingerprint_hmac: '', at: await tables.now() };
      const rows = Array.from({ length: 9_999 }, (_, n) => newRow(IdempotencyRecord, { ...common, scope: `key ${n}` }));
      await tables.of(IdempotencyRecord).insert(rows);
    });
    const error = (await refusal(claim(otherRequest))) as TooManyRequests;
    expect([error.code, error.retryAfter]).to.deep.equal(['too_many_requests', day - 1000]);
    expect(await rejectionOf(claim())).to.be.instanceOf(ReplayedResponse);
    await claim(otherRequest, user(5, ['editor']));
    world.advance(day - 1000);
    await claim(otherRequest);
  });
});
