import { fromSeed } from '@nats-io/nkeys';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  envelopeLength,
  openMessage,
  sealMessage,
  signMessage,
  verifyMessage,
} from '../../../../../plugins/fleet-nats/wire/keys/envelope.ts';
import { PrivateKeys } from '../../../../../plugins/fleet-nats/wire/keys/keys.ts';

describe('The envelope of a message', () => {
  const anna = PrivateKeys.generate();
  const berta = PrivateKeys.generate();
  const hosts = PrivateKeys.generate();
  const subject = 'horarium.report.anna';
  const body = Buffer.from('what the program wrote');
  const notSigned = 'A message is not signed by its sender for its subject.';

  it('gives the body back to the receiver, and shows it to nobody else', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 16, maxLength: 1000 }), (text) => {
        const message = sealMessage(subject, Buffer.from(text), anna, hosts.publicKeys);
        expect(message.length).to.equal(Buffer.byteLength(text) + envelopeLength);
        expect(message.includes(text)).to.equal(false);
        expect(openMessage(subject, message, anna.publicKeys, hosts).toString()).to.equal(Buffer.from(text).toString());
      }),
    );
  });

  it('gives a body that is signed alone to everybody who knows the sender', () => {
    const message = signMessage(subject, body, hosts);
    expect(Buffer.from(verifyMessage(subject, message, hosts.publicKeys)).toString()).to.equal(body.toString());
  });

  it('refuses the signature of another agent', () => {
    const message = sealMessage(subject, body, berta, hosts.publicKeys);
    expect(() => openMessage(subject, message, anna.publicKeys, hosts)).to.throw(notSigned);
  });

  it('refuses a message of the same sender on another subject', () => {
    const message = sealMessage(subject, body, anna, hosts.publicKeys);
    expect(() => openMessage('horarium.ask.anna', message, anna.publicKeys, hosts)).to.throw(notSigned);
  });

  it('refuses what one agent has sealed and another one signs as its own', () => {
    const sealed = sealMessage(subject, body, anna, hosts.publicKeys).subarray(65);
    const stolen = signMessage('horarium.report.berta', sealed, berta);
    expect(() => openMessage('horarium.report.berta', stolen, berta.publicKeys, hosts)).to.throw(
      'A message does not open: it was sealed to another key, or for another subject.',
    );
  });

  it('opens for nobody but the receiver', () => {
    const message = sealMessage(subject, body, anna, hosts.publicKeys);
    expect(() => openMessage(subject, message, anna.publicKeys, berta)).to.throw('A message does not open');
  });

  it('refuses a message with any byte changed, cut off or added', () => {
    const message = sealMessage(subject, body, anna, hosts.publicKeys);
    fc.assert(
      fc.property(fc.nat(message.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(message);
        changed[at] = (changed[at] as number) ^ change;
        expect(() => openMessage(subject, changed, anna.publicKeys, hosts)).to.throw(/^A message /);
      }),
    );
    for (const wrong of [message.subarray(0, -1), Buffer.concat([message, Buffer.from([0])])])
      expect(() => openMessage(subject, wrong, anna.publicKeys, hosts)).to.throw(notSigned);
  });

  it('refuses any bytes at all in a sentence', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(() => openMessage(subject, bytes, anna.publicKeys, hosts)).to.throw(/^A message .*\.$/);
      }),
    );
  });

  for (const [what, bytes, sentence] of [
    ['no bytes', Buffer.alloc(0), 'A message is too short to be signed.'],
    [
      'a format that is not known',
      Buffer.alloc(65, 2),
      'A message has the format 2; this version of Horarium reads format 1.',
    ],
  ] as const)
    it(`refuses ${what}`, () => {
      expect(() => verifyMessage(subject, bytes, anna.publicKeys)).to.throw(sentence);
    });

  it('refuses what a hostile NATS server had signed as a nonce', () => {
    const nonce = `horarium message\0${subject}\0${body}`;
    const signature = fromSeed(Buffer.from(anna.seeds().signing)).sign(Buffer.from(nonce));
    const forged = Buffer.concat([Buffer.from([1]), signature, body]);
    expect(() => verifyMessage(subject, forged, anna.publicKeys)).to.throw(notSigned);
  });
});
