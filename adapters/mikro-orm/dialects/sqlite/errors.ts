import { DatabaseBusy, StoreUnavailable } from '@horarium/core';

const messages: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_FULL/, 'there is no space left on the disk'],
  [/^SQLITE_(READONLY|PERM|AUTH)/, 'it may not be written'],
  [/^SQLITE_CANTOPEN|^ENOTDIR|^ENOENT|^EISDIR|^EEXIST/, 'it cannot be opened'],
  [/^EACCES|^EPERM|^EROFS/, 'it may not be opened'],
  [/^SQLITE_(NOTADB|CORRUPT)/, 'it is not a SQLite database, or it is damaged'],
  [/^SQLITE_IOERR/, 'reading or writing it failed'],
];

/** Translates an error of the driver into what the store throws; DatabaseBusy when the transaction is to be run again. */
export function storeErrorOf(error: unknown, file: string): unknown {
  if (isBusy(error)) return new DatabaseBusy();
  const { code } = error as { code?: unknown };
  const knownMessage = typeof code === 'string' ? messages.find(([pattern]) => pattern.test(code)) : undefined;
  return knownMessage ? new StoreUnavailable(`The SQLite file ${file} cannot be used: ${knownMessage[1]}.`) : error;
}

/** Whether the error says that another process has locked the file: the same statement may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^SQLITE_(BUSY|LOCKED)/.test(code);
}
