import { array, number, object, string } from 'yup';
import { badRequest, conflict, HorariumError } from '../errors.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { auditKeyContext } from '../secret/key-registry.ts';
import type { Hmac, Vault } from '../secret/vault.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import { type BackupEnd, type BackupHeader, backupFormat, rowFromCells } from './backup-file.ts';
import { BackupMac } from './backup-mac.ts';

/** About how many characters of rows are inserted at once, and how many rows at most. */
const maxLength = 1024 * 1024;
const maxRows = 500;

const count = number().integer().min(0).required();
const headerSchema = object({
  horarium: string().oneOf(['backup']).required(),
  format: number().integer().min(1).required(),
  version: string().required(),
  created_at: string().required(),
  store: string().required(),
  vault: array(string().required()).required(),
  audit_key: string().required(),
  audit_head: string().required(),
  tables: array(object({ name: string().required(), columns: object().required(), last_id: count })).required(),
}).strict();

/** Rows of one table of a backup. */
export interface BackupRows {
  readonly table: TableDescription;
  readonly rows: readonly AnyRow[];
  /** The line of the last of them. */
  readonly line: number;
}

/** A backup whose header was read. Its rows can be read once. */
export class BackupReader {
  readonly header: BackupHeader;
  readonly #first: string;
  readonly #lines: AsyncIterator<string>;

  private constructor(header: BackupHeader, first: string, lines: AsyncIterator<string>) {
    this.header = header;
    this.#first = first;
    this.#lines = lines;
  }

  /**
   * Reads the header of a backup.
   * @throws HorariumError `bad_request` where the lines are no backup, `conflict` for a newer format.
   */
  static async open(lines: AsyncIterable<string>): Promise<BackupReader> {
    const iterator = lines[Symbol.asyncIterator]();
    const { value: first = '' } = await iterator.next();
    const header = parse(first);
    if ((header as Partial<BackupHeader> | undefined)?.horarium !== 'backup')
      throw badRequest('This is no backup of Horarium: its first line is no header.');
    const { format } = header as BackupHeader;
    if (format > backupFormat)
      throw conflict(`This backup was made by a newer version of Horarium, in the format ${format}.`);
    if (!headerSchema.isValidSync(header)) throw badRequest('The header of the backup was changed.');
    return new BackupReader(header as BackupHeader, first, iterator);
  }

  /** @throws HorariumError `unavailable` when the vault lacks a key that the secrets in the backup need. */
  assertKeys({ fingerprints }: Pick<Vault, 'fingerprints'>): void {
    const missing = this.header.vault.filter((fingerprint) => !fingerprints.includes(fingerprint));
    if (missing.length === 0) return;
    throw new HorariumError(
      'unavailable',
      `The secrets in the backup need the vault key with the fingerprint ${missing.join(' and ')}, not ${fingerprints.join(', ')}. Give it in HORARIUM_VAULT_KEY, or put its key file back.`,
    );
  }

  /**
   * Checks that the tables of a store are those of the backup.
   * @throws HorariumError `conflict` that names the first difference.
   */
  assertTables(tables: readonly TableDescription[]): void {
    const advice = `It was made by version ${this.header.version}: restore it with that version and its plugins.`;
    const known = new Map(tables.map((table) => [table.name, table]));
    for (const { name, columns } of this.header.tables) {
      const table = known.get(name);
      if (!table) throw conflict(`The backup has the table ${name}, which this service does not have. ${advice}`);
      const own = JSON.stringify(table.columns.map((column) => [column.name, column.kind]));
      if (JSON.stringify(Object.entries(columns)) !== own)
        throw conflict(`The table ${name} has other columns in the backup than here. ${advice}`);
    }
    const missing = tables.find(({ name }) => !this.header.tables.some((table) => table.name === name));
    if (missing) throw conflict(`The backup has no table ${missing.name}, which this service has. ${advice}`);
  }

  /** Returns the key that signed the backup, which that of its audit log is. @throws HorariumError as `Vault.decrypt`. */
  hmac(vault: Vault): Hmac {
    return vault.hmac(vault.decrypt(this.header.audit_key, auditKeyContext));
  }

  /**
   * Reads the rows, and checks the MAC at their end.
   * @throws HorariumError `bad_request` when the backup is cut off or was changed.
   */
  async *rows(tables: readonly TableDescription[], hmac: Hmac): AsyncGenerator<BackupRows> {
    const known = new Map(tables.map((table) => [table.name, table]));
    const mac = new BackupMac(hmac);
    mac.add(this.#first);
    let table: TableDescription | undefined;
    let [line, total, length] = [1, 0, 0];
    let rows: AnyRow[] = [];
    for (;;) {
      await yieldToEventLoop();
      const { value: text, done } = await this.#lines.next();
      if (done) throw badRequest(`The backup is cut off after line ${line}: its end is missing.`);
      line += 1;
      const content = parse(text);
      const cells = Array.isArray(content) ? content : null;
      if (rows.length > 0 && table && (!cells || length >= maxLength || rows.length >= maxRows)) {
        yield { table, rows, line: line - 1 };
        [rows, length] = [[], 0];
      }
      if (cells && table) {
        rows.push(rowAt(line, table, cells));
        length += text.length;
        total += 1;
      } else if (isEnd(content)) return this.#checkEnd(text, { rows: total, mac: mac.end() });
      else {
        table = known.get(String((content as { table?: unknown } | undefined)?.table));
        if (!table) throw unreadable(line);
      }
      mac.add(text);
    }
  }

  async #checkEnd(line: string, end: BackupEnd): Promise<void> {
    if (line !== JSON.stringify(end))
      throw badRequest('The backup was changed after it was made: its MAC does not match its lines.');
    const { done } = await this.#lines.next();
    if (!done) throw badRequest('The backup has lines behind its end.');
  }
}

function isEnd(content: unknown): boolean {
  return typeof content === 'object' && content !== null && 'mac' in content;
}

function rowAt(line: number, table: TableDescription, cells: readonly unknown[]): AnyRow {
  try {
    return rowFromCells(table, cells);
  } catch {
    throw unreadable(line);
  }
}

/** Returns undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(line: number): HorariumError {
  return badRequest(`Line ${line} of the backup cannot be read: it was changed, or the backup is cut off there.`);
}
