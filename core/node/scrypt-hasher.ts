import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { PasswordHasher } from '../secret/password-hasher.ts';

/** The costs of a hash: the binary logarithm of N, the size of a block, and the number of lanes. */
interface Costs {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

const costs: Costs = { ln: 15, r: 8, p: 3 };
const saltLength = 16;
const hashLength = 32;

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/**
 * Hashes passwords with scrypt, 32 MiB and three lanes, as OWASP recommends, on threads beside the event loop. A hash is
 * a text in PHC format.
 */
export const scryptHasher: PasswordHasher = {
  async hash(password) {
    const salt = randomBytes(saltLength);
    const hash = await scryptOf(password, salt, costs, hashLength);
    return `$scrypt$ln=${costs.ln},r=${costs.r},p=${costs.p}$${encode(salt)}$${encode(hash)}`;
  },

  async verify(stored, password) {
    const parsed = parse(stored);
    if (!parsed) return false;
    const { salt, hash } = parsed;
    return timingSafeEqual(await scryptOf(password, salt, parsed.costs, hash.length), hash);
  },

  needsRehash(stored) {
    const used = parse(stored)?.costs;
    return used?.ln !== costs.ln || used.r !== costs.r || used.p !== costs.p;
  },
};

function scryptOf(password: string, salt: Buffer, { ln, r, p }: Costs, length: number): Promise<Buffer> {
  const N = 2 ** ln;
  // Node refuses to use 128 × N × r bytes or more unless it is allowed to.
  return derive(password.normalize(), salt, length, { N, r, p, maxmem: 256 * N * r });
}

const pattern = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{8,64})\$([A-Za-z0-9+/]{22,86})$/;

/** Reads a hash; undefined for text that is none, or that would take more memory than a hash may. */
function parse(stored: string) {
  const [, ln, r, p, salt = '', hash = ''] = pattern.exec(stored) ?? [];
  const parsed: Costs = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (!(parsed.ln > 0 && parsed.ln <= 20 && parsed.r > 0 && parsed.p > 0)) return undefined;
  return { costs: parsed, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

/** Writes bytes in base64 without padding, as the PHC format does. */
function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
