import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { HorariumError } from '@horarium/core';
import { newVaultKey } from './vault.ts';

/**
 * Reads the vault's keys from their file, one a line or separated by commas; undefined when there is none.
 * @throws HorariumError `unavailable` when it cannot be read, or others than its owner may read or write it.
 */
export function readKeyFile(path: string): string | undefined {
  try {
    refuseOpenToOthers(path, statSync(path));
    return readFileSync(path, 'utf8')
      .split(/[\s,]+/)
      .filter(Boolean)
      .join();
  } catch (error) {
    if (error instanceof HorariumError) throw error;
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new HorariumError('unavailable', `The vault's key file ${path} cannot be read (${codeOf(error)}).`);
  }
}

function refuseOpenToOthers(path: string, stats: Stats): void {
  const { mode } = stats;
  if (!stats.isFile() || (mode & 0o077) === 0) return;
  throw new HorariumError(
    'unavailable',
    `The vault's key file ${path} is open to others than its owner (mode ${(mode & 0o777).toString(8)}): make it its owner's alone with chmod 600.`,
  );
}

/**
 * Makes a key file that only its owner can read; for the first start of an empty store only. Where another process
 * has made it meanwhile, that one counts.
 * @returns what the file holds.
 * @throws HorariumError `unavailable` when it cannot be written.
 */
export function makeKeyFile(path: string): string {
  const key = newVaultKey();
  // Not named by the process: one that was killed amid this may have had the same number, as it is in a container.
  const draft = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw notMade(path, error);
  }
  try {
    writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // A link never replaces a file, and whoever reads it sees the whole key.
    linkSync(draft, path);
    return key;
  } catch (error) {
    const made = codeOf(error) === 'EEXIST' ? readKeyFile(path) : undefined;
    if (made) return made;
    throw notMade(path, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

function notMade(path: string, error: unknown): HorariumError {
  return new HorariumError('unavailable', `The vault's key file ${path} cannot be made (${codeOf(error)}).`);
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? error);
}
