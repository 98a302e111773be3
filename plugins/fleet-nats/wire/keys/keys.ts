import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { createCurve, createUser, fromPublic, fromSeed, type KeyPair } from '@nats-io/nkeys';
import { WireError } from '../wire-error.ts';

/** The public keys of an agent, or of the hosts of a service, as NKeys. */
export interface PublicKeyTexts {
  /** Ed25519, `U…`: authenticates to NATS, and verifies messages. */
  readonly signing: string;
  /** X25519, `X…`: what is sealed to it, only its owner opens. */
  readonly sealing: string;
}

/** The secret seeds of the same keys, as NKeys `SU…` and `SX…`. */
export type SeedTexts = PublicKeyTexts;

type KeyUse = keyof PublicKeyTexts;

const prefixes: Readonly<Record<KeyUse, string>> = { signing: 'U', sealing: 'X' };
const curves: Readonly<Record<KeyUse, string>> = { signing: 'Ed25519', sealing: 'X25519' };

/** What stands before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const pkcs8: Readonly<Record<KeyUse, Buffer>> = {
  signing: Buffer.from('302e020100300506032b657004220420', 'hex'),
  sealing: Buffer.from('302e020100300506032b656e04220420', 'hex'),
};

/**
 * The public keys of another party, ready for use. NKeys are the format alone: node:crypto signs and verifies, because the
 * JavaScript of @nats-io/nkeys takes fifty times as long.
 */
export class PublicKeys {
  readonly texts: PublicKeyTexts;
  readonly signing: KeyObject;
  readonly sealing: KeyObject;

  /** @throws WireError for a text that is no such key. */
  constructor(texts: PublicKeyTexts) {
    this.texts = texts;
    this.signing = publicKey(texts.signing, 'signing');
    this.sealing = publicKey(texts.sealing, 'sealing');
  }
}

/** Returns what messages are verified by. @throws WireError for a text that is no public NKey of a user. */
export function signingKey(nkey: string): Pick<PublicKeys, 'signing'> {
  return { signing: publicKey(nkey, 'signing') };
}

/** Returns what messages are sealed to. @throws WireError for a text that is no public XKey. */
export function sealingKey(xkey: string): Pick<PublicKeys, 'sealing'> {
  return { sealing: publicKey(xkey, 'sealing') };
}

/** The keys of this side. */
export class PrivateKeys {
  readonly signing: KeyObject;
  readonly sealing: KeyObject;
  readonly publicKeys: PublicKeys;
  readonly #seeds: SeedTexts;

  /** @throws WireError for a text that is no such seed. */
  constructor(seeds: SeedTexts) {
    this.#seeds = seeds;
    this.signing = privateKey(seeds.signing, 'signing');
    this.sealing = privateKey(seeds.sealing, 'sealing');
    this.publicKeys = new PublicKeys({
      signing: publicText(this.signing, 'signing'),
      sealing: publicText(this.sealing, 'sealing'),
    });
  }

  static generate(): PrivateKeys {
    return new PrivateKeys({ signing: seedOf(createUser()), sealing: seedOf(createCurve()) });
  }

  /** The secrets themselves, for the file or the text that keeps them. */
  seeds(): SeedTexts {
    return this.#seeds;
  }
}

/** Returns the 32 bytes of a public key. */
export function rawPublicKey(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: 'jwk' }).x as string, 'base64url');
}

function publicKey(text: string, use: KeyUse): KeyObject {
  checked(text, prefixes[use], 'public key', () => fromPublic(text));
  const x = base32(text).subarray(1, 33).toString('base64url');
  return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: curves[use], x } });
}

function privateKey(seed: string, use: KeyUse): KeyObject {
  checked(seed, `S${prefixes[use]}`, 'seed', () => fromSeed(new TextEncoder().encode(seed)));
  const key = Buffer.concat([pkcs8[use], base32(seed).subarray(2, 34)]);
  return createPrivateKey({ format: 'der', type: 'pkcs8', key });
}

/**
 * Returns the public half of a private key as an NKey. @nats-io/nkeys would derive it in JavaScript, and makes so much garbage that
 * V8 may keep 30 MB more for as long as an agent runs.
 */
function publicText(key: KeyObject, use: KeyUse): string {
  const body = Buffer.concat([Buffer.from([alphabet.indexOf(prefixes[use]) << 3]), rawPublicKey(createPublicKey(key))]);
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc16(body));
  return toBase32(Buffer.concat([body, checksum]));
}

function seedOf(pair: KeyPair): string {
  return new TextDecoder().decode(pair.getSeed());
}

/** Never shows the text: it may be a seed. */
function checked<T>(text: string, prefix: string, what: 'seed' | 'public key', read: () => T): T {
  const length = what === 'seed' ? 58 : 56;
  const refusal = () =>
    new WireError(`A ${what} is wrong: it must be an NKey of ${length} characters that begins with ${prefix}.`);
  if (!text.startsWith(prefix) || text.length !== length) throw refusal();
  try {
    return read();
  } catch {
    throw refusal();
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes in base32 (RFC 4648). Those of a public NKey, 35 of them, need no padding. */
function toBase32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => alphabet[Number.parseInt(five, 2)] as string);
}

/** The checksum of NKeys: CRC-16/XMODEM. */
function crc16(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}

/** Decodes base32 (RFC 4648) without padding, whose alphabet and checksum @nats-io/nkeys has checked. */
function base32(text: string): Buffer {
  const bytes: number[] = [];
  let [value, bits] = [0, 0];
  for (const sign of text) {
    value = ((value << 5) | alphabet.indexOf(sign)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}
