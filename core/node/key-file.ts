import { randomUUID } from 'node:crypto';
import { chownSync, linkSync, mkdirSync, readFileSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { HorariumError } from '../errors.ts';
import { newVaultKey } from './node-vault.ts';

const vaultFile = "vault's key file";

/**
 * Reads secret keys from their file, one a line or separated by commas; undefined when there is no file.
 * @param noun what the file is, for messages.
 * @throws HorariumError `unavailable` when the file cannot be read, or others than its owner may read or write it.
 */
export function readKeyFile(path: string, noun = vaultFile): string | undefined {
  try {
    assertPrivate(path, noun, statSync(path));
    return readFileSync(path, 'utf8')
      .split(/[\s,]+/)
      .filter(Boolean)
      .join();
  } catch (error) {
    if (error instanceof HorariumError) throw error;
    if (codeOf(error) === 'ENOENT') return undefined;
    const remedy = codeOf(error) === 'EACCES' ? remedyOfOwner(path) : '';
    throw new HorariumError('unavailable', `The ${noun} ${path} cannot be read (${codeOf(error)})${remedy}.`);
  }
}

/** Returns what to do where a file is another user's, as the end of a sentence; empty where its folder cannot be entered either. */
function remedyOfOwner(path: string): string {
  let uid: number;
  try {
    ({ uid } = statSync(path));
  } catch {
    return '';
  }
  if (uid === process.getuid?.()) return '';
  const owner = uid === 0 ? 'root' : 'another user';
  return `: it belongs to ${owner}, and must be of the user who runs the service (chown ${ownName()} ${path})`;
}

/** The user of this process; in a container it may have no name. */
function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}

function assertPrivate(path: string, noun: string, stats: Stats): void {
  const { mode } = stats;
  if (!stats.isFile() || (mode & 0o077) === 0) return;
  throw new HorariumError(
    'unavailable',
    `The ${noun} ${path} is open to others than its owner (mode ${(mode & 0o777).toString(8)}): make it its owner's alone with chmod 600.`,
  );
}

/**
 * Creates a key file that only its owner can read; for the first start of an empty store only. Where another process
 * has created it meanwhile, that file counts. What root creates belongs to the owner of its folder, because the service runs as
 * that user.
 * @param noun what the file is, for messages.
 * @returns the content of the file.
 * @throws HorariumError `unavailable` when the file cannot be written.
 */
export function createKeyFile(path: string, noun = vaultFile, newKey: () => string = newVaultKey): string {
  const key = newKey();
  // The name is random and not the process id, which a process that was killed here may have had too, as in a
  // container.
  const draft = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw creationFailed(path, noun, error);
  }
  try {
    writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
    if (process.getuid?.() === 0) {
      const { uid, gid } = statSync(dirname(path));
      if (uid !== 0) chownSync(draft, uid, gid);
    }
    // A link never replaces a file, and every reader sees the whole key.
    linkSync(draft, path);
    return key;
  } catch (error) {
    const existingKey = codeOf(error) === 'EEXIST' ? readKeyFile(path, noun) : undefined;
    if (existingKey) return existingKey;
    throw creationFailed(path, noun, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

function creationFailed(path: string, noun: string, error: unknown): HorariumError {
  return new HorariumError('unavailable', `The ${noun} ${path} cannot be created (${codeOf(error)}).`);
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? error);
}
