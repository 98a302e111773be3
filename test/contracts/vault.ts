import { HorariumError, type Vault } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { isCiphertext } from '#core/secret/ciphertext';

/** The contract of every vault. `make` creates one with the keys of those names, newest first. */
export function vaultContract(make: (...keys: [string, ...string[]]) => Vault): void {
  const unavailable = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      expect(error).to.be.instanceOf(HorariumError);
      return (error as HorariumError).code === 'unavailable' ? (error as Error).message : undefined;
    }
    return undefined;
  };

  it('decrypts what it encrypted, whatever the text', () => {
    const vault = make('a');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, context) => {
        expect(vault.decrypt(vault.encrypt(plain, context), context)).to.equal(plain);
      }),
    );
  });

  it('marks its ciphertexts, and never encrypts a text the same way twice', () => {
    const vault = make('a');
    const [one, other] = [vault.encrypt('secret', 'c'), vault.encrypt('secret', 'c')];
    expect(isCiphertext(one)).to.equal(true);
    expect(one).not.to.equal(other);
    expect(one).not.to.include('secret');
  });

  it('rejects a ciphertext under another context', () => {
    const vault = make('a');
    const message = unavailable(() => vault.decrypt(vault.encrypt('plain words', 'Credential 1'), 'Credential 2'));
    expect(message).to.be.a('string').that.does.not.include('plain words');
  });

  it('rejects a ciphertext in which any character was changed', () => {
    const vault = make('a');
    const ciphertext = vault.encrypt('plain words', 'c');
    for (let at = 0; at < ciphertext.length; at++) {
      const changed = `${ciphertext.slice(0, at)}${ciphertext[at] === 'A' ? 'B' : 'A'}${ciphertext.slice(at + 1)}`;
      let opened: string | undefined;
      const message = unavailable(() => {
        opened = vault.decrypt(changed, 'c');
      });
      // The last character of base64 may hold bits that mean nothing.
      if (at < ciphertext.length - 1 || opened === undefined) expect(message, changed).to.be.a('string');
      else expect(opened).to.equal('plain words');
    }
  });

  it('decrypts with older keys, and encrypts with the newest', () => {
    const ciphertext = make('old').encrypt('x', 'c');
    const both = make('new', 'old');
    expect(both.decrypt(ciphertext, 'c')).to.equal('x');
    expect(make('new').decrypt(both.encrypt('x', 'c'), 'c')).to.equal('x');
    expect(unavailable(() => make('new').decrypt(ciphertext, 'c'))).to.be.a('string');
  });

  it('identifies its keys by their fingerprints', () => {
    expect(make('a').fingerprint).to.equal(make('a', 'b').fingerprint);
    expect(make('a').fingerprint).not.to.equal(make('b').fingerprint);
    expect(make('b', 'a').fingerprints).to.deep.equal([make('b').fingerprint, make('a').fingerprint]);
  });

  it('tells which key a text was encrypted with, also when it lacks that key', () => {
    const ciphertext = make('old').encrypt('x', 'c');
    for (const vault of [make('old'), make('new', 'old'), make('new')]) {
      expect(make('old').fingerprint.startsWith(vault.keyOf(ciphertext))).to.equal(true);
      expect(vault.keyOf(ciphertext)).to.have.length.of.at.least(8);
    }
    expect(make('new').fingerprint.startsWith(make('new').keyOf(ciphertext))).to.equal(false);
  });

  it('derives one signing key for each purpose, which a newer vault key does not change', () => {
    const key = make('a').signingKey('audit');
    expect(Buffer.from(key, 'base64')).to.have.length(32);
    expect(make('b', 'a').signingKey('audit')).to.equal(key);
    expect(make('a').signingKey('other')).not.to.equal(key);
    expect(make('b').signingKey('audit')).not.to.equal(key);
  });

  it('signs with HMAC-SHA256', () => {
    // RFC 4231, test case 2.
    expect(make('a').hmac(Buffer.from('Jefe').toString('base64'))('what do ya want for nothing?')).to.equal(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });
}
