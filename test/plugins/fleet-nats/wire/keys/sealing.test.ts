import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { openSeal, seal, sealLength } from '../../../../../plugins/fleet-nats/wire/keys/sealing.ts';

const refusal = 'A message does not open: it was sealed to another key, or for another subject.';

describe('Sealing', () => {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const suite = new CipherSuite({
    kem: new DhkemX25519HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  });
  const raw = (key: KeyObject, part: 'd' | 'x') =>
    new Uint8Array(Buffer.from(key.export({ format: 'jwk' })[part] as string, 'base64url')).buffer;

  it('opens what it sealed, of any size and for any subject, and adds 48 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.uint8Array({ maxLength: 100 }), (body, info) => {
        const sealed = seal(publicKey, info, body);
        expect(sealed.length).to.equal(body.length + sealLength);
        expect(new Uint8Array(openSeal(privateKey, info, sealed))).to.deep.equal(new Uint8Array(body));
      }),
    );
  });

  it('is the HPKE of RFC 9180: another implementation opens what it seals', async () => {
    const recipientKey = await suite.kem.importKey('raw', raw(privateKey, 'd'), false);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), fc.uint8Array({ maxLength: 100 }), async (body, info) => {
        const sealed = new Uint8Array(seal(publicKey, info, body));
        const parameters = { recipientKey, enc: sealed.slice(0, 32).buffer, info: new Uint8Array(info).buffer };
        const opened = await suite.open(parameters, sealed.slice(32).buffer);
        expect(new Uint8Array(opened)).to.deep.equal(new Uint8Array(body));
      }),
    );
  });

  it('opens what another implementation of RFC 9180 seals', async () => {
    const recipientPublicKey = await suite.kem.importKey('raw', raw(publicKey, 'x'), true);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), fc.uint8Array({ maxLength: 100 }), async (body, info) => {
        const parameters = { recipientPublicKey, info: new Uint8Array(info).buffer };
        const { enc, ct } = await suite.seal(parameters, new Uint8Array(body).buffer);
        const sealed = Buffer.concat([new Uint8Array(enc), new Uint8Array(ct)]);
        expect(new Uint8Array(openSeal(privateKey, info, sealed))).to.deep.equal(new Uint8Array(body));
      }),
    );
  });

  it('gives the same body other bytes each time', () => {
    const sealed = () => seal(publicKey, Buffer.from('a'), Buffer.from('same')).toString('hex');
    expect(sealed()).to.not.equal(sealed());
  });

  it('opens for no other key, no other subject, and no bytes that were changed', () => {
    const [info, body] = [Buffer.from('horarium.ask.anna'), Buffer.from('secret')];
    const sealed = seal(publicKey, info, body);
    const other = generateKeyPairSync('x25519').privateKey;
    expect(() => openSeal(other, info, sealed)).to.throw(refusal);
    expect(() => openSeal(privateKey, Buffer.from('horarium.ask.berta'), sealed)).to.throw(refusal);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      // The highest bit of the last byte of a key counts for nothing in X25519, but here it does.
      changed[at] = (changed[at] as number) ^ 0x80;
      expect(() => openSeal(privateKey, info, changed), `byte ${at}`).to.throw(refusal);
    }
  });

  it('refuses keys that make the same secret with every other key', () => {
    const sealed = Buffer.concat([Buffer.alloc(32), Buffer.alloc(20)]);
    expect(() => openSeal(privateKey, Buffer.alloc(0), sealed)).to.throw(refusal);
  });

  it('refuses what is too short', () => {
    expect(() => openSeal(privateKey, Buffer.alloc(0), Buffer.alloc(sealLength - 1))).to.throw(
      'A message is too short to be sealed.',
    );
  });

  it('takes the public key of a private one', () => {
    const sealed = seal(createPublicKey(privateKey), Buffer.alloc(0), Buffer.from('x'));
    expect(openSeal(privateKey, Buffer.alloc(0), sealed).toString()).to.equal('x');
  });
});
