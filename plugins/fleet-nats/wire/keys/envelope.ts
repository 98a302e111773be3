import { sign, verify } from 'node:crypto';
import { WireError } from '../wire-error.ts';
import type { PrivateKeys, PublicKeys } from './keys.ts';
import { openSeal, seal, sealLength } from './sealing.ts';

/** The version of this format, in the first byte. The signature and the signed bytes follow it. */
const format = 1;
const signatureLength = 64;

/** The bytes that a signature and a seal add to a body. */
export const envelopeLength = 1 + signatureLength + sealLength;

/** What messages to another party are sealed to. */
type SealingKey = Pick<PublicKeys, 'sealing'>;

/**
 * Seals a body to the receiver and signs it for its subject, so that NATS carries nothing readable, and a NATS with wrong
 * permissions lets no agent act as another.
 */
export function sealMessage(subject: string, body: Uint8Array, from: PrivateKeys, to: SealingKey): Buffer {
  return signMessage(subject, seal(to.sealing, Buffer.from(subject), body), from);
}

/** Signs a body that everybody may read. */
export function signMessage(subject: string, body: Uint8Array, from: PrivateKeys): Buffer {
  return Buffer.concat([Buffer.from([format]), sign(null, signedBytes(subject, body), from.signing), body]);
}

/** Returns the body of a sealed message. @throws WireError when it is not of this sender, subject and receiver. */
export function openMessage(subject: string, message: Uint8Array, from: PublicKeys, to: PrivateKeys): Buffer {
  return openSeal(to.sealing, Buffer.from(subject), verifyMessage(subject, message, from));
}

/** Returns the body of a message that is signed alone. @throws WireError when it is not of this sender and subject. */
export function verifyMessage(subject: string, message: Uint8Array, from: PublicKeys): Uint8Array {
  if (message.length < 1 + signatureLength) throw new WireError('A message is too short to be signed.');
  if (message[0] !== format)
    throw new WireError(`A message has the format ${message[0]}; this version of Horarium reads format ${format}.`);
  const body = message.subarray(1 + signatureLength);
  if (!verify(null, signedBytes(subject, body), from.signing, message.subarray(1, 1 + signatureLength)))
    throw new WireError('A message is not signed by its sender for its subject.');
  return body;
}

/**
 * What is signed begins with a byte that no text in UTF-8 has: the same key signs the nonces of NATS, which are texts that
 * the server chooses, and a hostile server must not get messages signed that way.
 */
function signedBytes(subject: string, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0xff]), Buffer.from(`horarium message\0${subject}\0`), body]);
}
