import { WrongValue } from './setting.ts';

/** The database that a URL names. */
export type Database =
  | { readonly kind: 'sqlite'; readonly url: string; readonly file: string }
  | { readonly kind: 'postgresql' | 'memory'; readonly url: string };

/** Reads the URL of a database. @throws WrongValue for anything that is none of the three kinds. */
export function readDatabaseUrl(text: string): Database {
  if (text === 'memory:') return { kind: 'memory', url: text };
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (file === ':memory:') throw new WrongValue('a throw-away store is asked for with memory:');
  if (file) return { kind: 'sqlite', url: `sqlite:${file}`, file };
  const url = /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new WrongValue();
  if (!/^\/[^/]+$/.test(url.pathname)) throw new WrongValue('the name of the database is missing after the host');
  return { kind: 'postgresql', url: text };
}

/** Masks the password of a URL, for people to read. */
export function withoutPassword(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.:-]*:\/\/[^:@/]*):.*@/i, '$1:••••••••@')
    .replace(/([?&]password=)[^&]*/gi, '$1••••••••');
}
