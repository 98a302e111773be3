import { inspect } from 'node:util';
import { createAccount, createCurve, createUser, fromPublic, fromSeed } from '@nats-io/nkeys';
import { expect } from 'chai';
import { signMessage, verifyMessage } from '../../../../../plugins/fleet-nats/wire/keys/envelope.ts';
import { PrivateKeys, PublicKeys } from '../../../../../plugins/fleet-nats/wire/keys/keys.ts';

const seedText = (pair: { getSeed(): Uint8Array }) => Buffer.from(pair.getSeed()).toString();

describe('The keys', () => {
  const keys = PrivateKeys.generate();
  const seeds = keys.seeds();
  const { texts } = keys.publicKeys;

  it('are NKeys, whose public half follows from the seeds', () => {
    expect(fromSeed(Buffer.from(seeds.signing)).getPublicKey()).to.equal(texts.signing);
    expect(fromSeed(Buffer.from(seeds.sealing)).getPublicKey()).to.equal(texts.sealing);
    expect([texts.signing[0], texts.sealing[0]]).to.deep.equal(['U', 'X']);
    expect(fromPublic(texts.signing).getPublicKey()).to.equal(texts.signing);
  });

  it('are the same when they are read again', () => {
    const again = new PrivateKeys(seeds);
    const message = signMessage('a', Buffer.from('b'), again);
    expect(Buffer.from(verifyMessage('a', message, new PublicKeys(texts))).toString()).to.equal('b');
    expect(again.publicKeys.texts).to.deep.equal(texts);
  });

  it('are others each time', () => {
    expect(PrivateKeys.generate().publicKeys.texts).to.not.deep.equal(texts);
  });

  it('are not shown when their object is', () => {
    const shown = `${inspect(keys, { depth: 9, showHidden: true })}${JSON.stringify({ keys })}`;
    expect(shown).to.not.include(seeds.signing).and.not.include(seeds.sealing);
  });

  const changed = (text: string) => `${text.slice(0, 20)}${text[20] === 'A' ? 'B' : 'A'}${text.slice(21)}`;
  const publicSentence = (letter: string) =>
    `A public key is wrong: it must be an NKey of 56 characters that begins with ${letter}.`;
  const seedSentence = (letters: string) =>
    `A seed is wrong: it must be an NKey of 58 characters that begins with ${letters}.`;

  for (const [what, wrong] of Object.entries({
    nothing: '',
    'a letter that was changed': changed(texts.signing),
    'a key of another use': createAccount().getPublicKey(),
    'a seed in place of a key': seeds.signing,
    'a key that is cut off': texts.signing.slice(0, -1),
    'other letters': `U${'!'.repeat(55)}`,
  }))
    it(`are refused with ${what}`, () => {
      expect(() => new PublicKeys({ ...texts, signing: wrong })).to.throw(publicSentence('U'));
    });

  it('are refused where a sealing key signs, or the other way round', () => {
    expect(() => new PublicKeys({ ...texts, sealing: texts.signing })).to.throw(publicSentence('X'));
    const [user, curve] = [seedText(createUser()), seedText(createCurve())];
    expect(() => new PrivateKeys({ signing: curve, sealing: curve })).to.throw(seedSentence('SU'));
    expect(() => new PrivateKeys({ signing: user, sealing: user })).to.throw(seedSentence('SX'));
  });

  it('are refused without the seed in the sentence', () => {
    const wrong = changed(seeds.signing);
    expect(() => new PrivateKeys({ ...seeds, signing: wrong })).to.throw(seedSentence('SU'));
  });
});
