import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Statement } from 'better-sqlite3';
import type { TracedStatement } from './trace.ts';

type Note = (traced: TracedStatement) => void;

/**
 * Calls `note` with each SQL statement that this process runs, transactions' begin and commit included, by the drivers
 * that a checkout has installed. It replaces their methods, so that statements are counted in the same way in every commit.
 */
export function traceStatements(root: string, note: Note): void {
  const require = createRequire(join(root, 'package.json'));
  const numbers = new WeakMap<object, number>();
  let connections = 0;
  const noteOf = (connection: object, sql: string) => {
    const number = numbers.get(connection) ?? ++connections;
    numbers.set(connection, number);
    note({ connection: number, sql: sql.slice(0, 300).replace(/\s+/g, ' ') });
  };
  traceSqlite(require('better-sqlite3'), noteOf);
  tracePostgres(require('pg'), noteOf);
}

type NoteOf = (connection: object, sql: string) => void;

function traceSqlite(Database: typeof import('better-sqlite3'), noteOf: NoteOf): void {
  const open = new Database(':memory:');
  const statements = Object.getPrototypeOf(open.prepare('select 1')) as Statement;
  open.close();
  for (const method of ['run', 'get', 'all', 'iterate'] as const)
    replace(statements, method, ({ database, source }) => noteOf(database, source));
  replace(Database.prototype, 'exec', (database, [sql]) => noteOf(database, String(sql)));
}

function tracePostgres({ Client }: typeof import('pg'), noteOf: NoteOf): void {
  replace(Client.prototype, 'query', (client, [query]) =>
    noteOf(client, typeof query === 'string' ? query : ((query as { text?: string } | null)?.text ?? '')),
  );
}

/** Calls `before` with the object and the arguments of each call of a method. */
function replace<T extends object>(
  prototype: T,
  method: keyof T,
  before: (self: T, args: readonly unknown[]) => void,
): void {
  const original = prototype[method] as (...args: unknown[]) => unknown;
  prototype[method] = function (this: T, ...args: unknown[]) {
    before(this, args);
    return original.apply(this, args);
  } as T[keyof T];
}
