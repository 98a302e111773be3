import { InvalidDatabaseUrl, type NamedDatabase, readDatabaseUrl } from '../../adapters/mikro-orm/databases.ts';
import { WrongValue } from './setting.ts';

/** Reads the URL of a database. @throws WrongValue for a URL that names none. */
export function databaseOf(url: string): NamedDatabase {
  try {
    return readDatabaseUrl(url);
  } catch (error) {
    throw error instanceof InvalidDatabaseUrl ? new WrongValue(error.reason) : error;
  }
}

/** Masks the password of a URL, for people to read. */
export function withoutPassword(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.:-]*:\/\/[^:@/]*):.*@/i, '$1:••••••••@')
    .replace(/([?&]password=)[^&]*/gi, '$1••••••••');
}
