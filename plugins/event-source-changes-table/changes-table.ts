import type { ChangeBatch, OpenEventSource, SourceChange } from '@horarium/core/plugin';
import { advance, countReadable, isAfter, isKey, parsePosition, sight, writePosition } from './position.ts';
import { abortable, type ColumnValue, type TableDatabase } from './table-database.ts';

/** The columns of a table of changes beside its key. */
const columns = ['recordid', 'evidence', 'operation', 'externalids', 'created', 'source', 'target'] as const;

/** What selectors of rules can name of a change. */
export const changeColumns: readonly string[] = ['inversion', ...columns];

/** A table, perhaps in a schema: `changes_cache`, `hooks.changes_cache`. */
export const tableName = /^[A-Za-z_][A-Za-z0-9_$]{0,62}(?:\.[A-Za-z_][A-Za-z0-9_$]{0,62})?$/;

/** The longest value that is read, in bytes. */
const maxValue = 1024 * 1024;
/** The bytes of a batch, if it has more than one row. */
const maxBatch = 8 * maxValue;

export interface ChangesTableOptions {
  readonly table: string;
  /** In seconds. */
  readonly gap_wait: number;
  readonly delete_processed: boolean;
}

/** A table of changes, read in the order of its key `inversion`. */
export class ChangesTable implements OpenEventSource {
  readonly #database: TableDatabase;
  readonly #options: ChangesTableOptions;
  readonly #table: string;
  /** The keys that were read and not acknowledged, of rows that could be used. */
  #read: string[] = [];
  #isClosed = false;

  constructor(database: TableDatabase, options: ChangesTableOptions) {
    this.#database = database;
    this.#options = options;
    this.#table = options.table.split('.').map(database.dialect.quote).join('.');
  }

  /** Checks that changes can be read. @throws Error that says why they cannot. */
  async probe(signal: AbortSignal): Promise<void> {
    await this.#using(signal, async () => {
      // Fast however large the table is. Qualified, because SQLite takes a quoted name of no column for a text.
      const list = ['inversion', ...columns].map((column) => `t.${column}`).join(', ');
      const sql = `select ${list} from ${this.#table} as t order by t.inversion desc limit 1`;
      const { isNumber } = await this.#database.query(sql);
      if (!isNumber(0))
        throw new Error(`inversion of ${this.#options.table} is no number, so its changes have no order`);
    });
  }

  read(after: string | null, limit: number, signal: AbortSignal): Promise<ChangeBatch> {
    return this.#using(signal, async () => {
      const { table, gap_wait, delete_processed } = this.#options;
      const wait = gap_wait * 1000;
      const { at, seen } = parsePosition(after);
      // The clock before the rows: what is missing in them was missing after that time.
      const { head, now, keyless } = await this.#survey();
      const position = sight({ at, seen }, head, now, wait);
      const sizes = await this.#sizes(at, limit);
      const keys = sizes.map(([key]) => key);
      const strange = keys.findIndex((key) => !isKey(key));
      const usable = strange < 0 ? keys : keys.slice(0, strange);
      const count = withinBudget(sizes, countReadable(position, usable, now, wait));
      const last = usable[count - 1];
      const changes = last === undefined ? [] : await this.#changes(at, last);
      const cursor = writePosition(last === undefined ? position : advance(position, last));
      const warnings = [
        keyless > 0 &&
          `${keyless === maxKeyless ? `${maxKeyless} or more` : keyless} rows of ${table} have no inversion, and are never read`,
        strange >= 0 &&
          `inversion ${keys[strange]?.slice(0, 50)} of ${table} is no number; neither it nor what follows is read`,
        !delete_processed &&
          isBehind(head, at) &&
          `the largest inversion of ${table} is ${head}, and ${at} was read already: if its keys begin again, it must become another event source`,
      ].filter((warning) => warning !== false);
      return { changes, cursor, ...(warnings.length > 0 && { warning: warnings.join('; ') }) };
    });
  }

  async acknowledge(cursor: string, signal: AbortSignal): Promise<void> {
    const { at } = parsePosition(cursor);
    // Only what was read: a row that was committed too late stays.
    const done = this.#read.filter((key) => at !== null && !isAfter(key, at));
    if (!this.#options.delete_processed || done.length === 0) return;
    await this.#using(signal, () =>
      this.#database.query(`delete from ${this.#table} where inversion in (${done.join(', ')})`),
    );
    this.#read = this.#read.filter((key) => !done.includes(key));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#database.close();
  }

  async #using<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error('the connection is closed');
    return abortable(this.#database, signal, work);
  }

  /** Reads the largest key, the time, and how many rows have no key. */
  async #survey(): Promise<{ head: string | null; now: number; keyless: number }> {
    const { now, selectMax } = this.#database.dialect;
    const nulls = `select 1 from ${this.#table} as t where t.inversion is null limit ${maxKeyless}`;
    const sql = `select (${selectMax('t.inversion', this.#table)}) as head, ${now} as now, (select count(*) from (${nulls}) as k) as keyless`;
    const [row] = (await this.#database.query(sql)).rows;
    const head = textOf(row?.['head'] ?? null);
    return {
      head: head !== null && isKey(head) ? head : null,
      now: Number(textOf(row?.['now'] ?? null)),
      keyless: Number(textOf(row?.['keyless'] ?? null)),
    };
  }

  /** Reads the keys after a position, with the bytes of their rows, so that few rows are read where they are large. */
  async #sizes(at: string | null, limit: number): Promise<(readonly [key: string, bytes: number])[]> {
    const { bytesOf } = this.#database.dialect;
    const bytes = columns
      .map((name) => bytesOf(`t.${name}`))
      .map((of) => `case when ${of} <= ${maxValue} then ${of} else 0 end`);
    const sql = `select t.inversion as inversion, ${bytes.join(' + ')} as bytes from ${this.#table} as t where ${afterKey(at)} order by t.inversion limit ${limit}`;
    const { rows, isNumber } = await this.#database.query(sql);
    if (!isNumber(0)) throw new Error(`inversion of ${this.#options.table} is no number, so its changes have no order`);
    return rows.map((row) => [textOf(row['inversion'] ?? null) ?? '', Number(textOf(row['bytes'] ?? null))] as const);
  }

  async #changes(at: string | null, last: string): Promise<SourceChange[]> {
    const { bytesOf, readOf } = this.#database.dialect;
    const values = columns.flatMap((name) => {
      const bytes = bytesOf(`t.${name}`);
      return [
        `case when ${bytes} <= ${maxValue} then ${readOf(`t.${name}`)} end as ${name}`,
        `case when ${bytes} > ${maxValue} then ${bytes} end as ${name}_bytes`,
      ];
    });
    const where = `${afterKey(at)} and t.inversion <= ${last}`;
    const sql = `select t.inversion as inversion, ${values.join(', ')} from ${this.#table} as t where ${where} order by t.inversion`;
    const changes = (await this.#database.query(sql)).rows.map(changeOf);
    this.#read.push(...changes.filter(({ problem }) => problem === undefined).map(({ key }) => key));
    return changes;
  }
}

/** The most rows without a key that are counted. */
const maxKeyless = 1000;

/** Keys are written into statements as numbers, because databases compare texts with numbers differently. */
function afterKey(at: string | null): string {
  return at === null ? 't.inversion is not null' : `t.inversion > ${at}`;
}

/** Counts the rows, of those that may be read, that fit into a batch; the first one always does. */
function withinBudget(sizes: readonly (readonly [key: string, bytes: number])[], count: number): number {
  let total = 0;
  const over = sizes.slice(0, count).findIndex(([, bytes], index) => {
    total += bytes;
    return index > 0 && total > maxBatch;
  });
  return over < 0 ? count : over;
}

function isBehind(head: string | null, at: string | null): boolean {
  return head !== null && at !== null && isAfter(at, head);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns a value as text, or null. @throws TypeError for bytes that are no UTF-8. */
function textOf(cell: ColumnValue): string | null {
  return cell instanceof Uint8Array ? decoder.decode(cell) : cell;
}

/** Makes a change of a row; what cannot be read of it is its problem. */
function changeOf(row: Readonly<Record<string, ColumnValue>>): SourceChange {
  const problems: string[] = [];
  const payload: Record<string, unknown> = { inversion: textOf(row['inversion'] ?? null) };
  for (const name of columns) {
    const cell = row[name] ?? null;
    const bytes = textOf(row[`${name}_bytes`] ?? null);
    if (bytes !== null) problems.push(`its ${name} has ${bytes} bytes, and at most ${maxValue} are read`);
    try {
      payload[name] = textOf(cell);
    } catch {
      problems.push(`its ${name} is not valid UTF-8`);
      payload[name] = { base64: Buffer.from(cell as Uint8Array).toString('base64') };
    }
  }
  const key = String(payload['inversion']);
  if (!/^-?\d+$/.test(key)) problems.push(`its inversion ${key} is no integer`);
  const text = (name: string) => (typeof payload[name] === 'string' ? payload[name] : null);
  return {
    key,
    evidence: text('evidence'),
    operation: text('operation'),
    recordId: text('recordid'),
    payload,
    ...(problems.length > 0 && { problem: problems.join('; ') }),
  };
}
