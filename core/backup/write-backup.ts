import { readAuditCheckpoint } from '../audit/archive/checkpoint.ts';
import { readAuditHead } from '../audit/chain.ts';
import { conflict, HorariumError } from '../errors.ts';
import type { Clock } from '../loop/clock.ts';
import { TableProgress } from '../loop/table-progress.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { auditKeyContext, readEncryptedAuditKey, registeredFingerprints } from '../secret/key-registry.ts';
import type { Vault } from '../secret/vault.ts';
import { required } from '../store/rows.ts';
import type { Store, Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import { formatInstant } from '../time/instant.ts';
import {
  type BackupEnd,
  type BackupHeader,
  type BackupProgress,
  type BackupTable,
  backupFormat,
  describeTableOfBackup,
  rowToLine,
} from './backup-file.ts';
import { BackupMac } from './backup-mac.ts';
import { keepAlive } from './keep-alive.ts';

export interface BackupContext {
  /** The store with its own clock. */
  readonly store: Store;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly vault: Vault;
  /** Every table, each after those it refers to. */
  readonly tables: readonly TableDescription[];
  /** The version of the service. */
  readonly version: string;
}

/** What a backup holds. */
export interface WrittenBackup extends Pick<BackupHeader, 'created_at' | 'vault' | 'audit_head'> {
  readonly rows: number;
  /** The last entry of the audit log that has left the store for its archive, and is not in the backup; 0 = none has. */
  readonly archivedUpTo: number;
}

/** How many rows are read at once: at first, because they may be large, and at most, where they cannot be and where they can. */
const firstPage = 5;
const maxPage = { small: 200, large: 40 };
/** About how many characters are handed on at once. */
const pieceLength = 1024 * 1024;
/** The length from which a text counts as long. */
const longText = 65_535;

/**
 * Writes every row of a store, as one snapshot has them, as the lines of a backup.
 * @param write writes text that ends in a newline; it resolves when it can take more.
 * @throws HorariumError `conflict` for a row that no store would accept; what `write` throws.
 */
export async function writeBackup(
  parts: BackupContext,
  write: (text: string) => Promise<void>,
  onProgress: (progress: BackupProgress) => void = () => undefined,
): Promise<WrittenBackup> {
  let begun = false;
  const written = await parts.store.transaction(
    async (tables) => {
      // What was written cannot be taken back.
      if (begun)
        throw new HorariumError('unavailable', 'The store could not be read in one go. Make the backup again.');
      begun = true;
      return new BackupWriter(parts, tables, write).run(onProgress);
    },
    { readOnly: true },
  );
  // SQLite's write-ahead log has grown meanwhile, because the snapshot needed it. No commit of the service has to empty it.
  await parts.store.checkpoint?.();
  return written;
}

class BackupWriter {
  readonly #parts: BackupContext;
  readonly #tables: Tables;
  readonly #write: (text: string) => Promise<void>;

  constructor(parts: BackupContext, tables: Tables, write: (text: string) => Promise<void>) {
    this.#parts = parts;
    this.#tables = tables;
    this.#write = write;
  }

  async run(onProgress: (progress: BackupProgress) => void): Promise<WrittenBackup> {
    const { vault, tables } = this.#parts;
    const header = await this.#header();
    const mac = new BackupMac(vault.hmac(vault.decrypt(header.audit_key, auditKeyContext)));
    const progress = new TableProgress(header.tables);
    await this.#writeLines(mac, [JSON.stringify(header)]);
    for (const table of tables) {
      await yieldToEventLoop();
      progress.begin(table.name);
      await this.#writeLines(mac, [JSON.stringify({ table: table.name })]);
      await this.#writeRows(mac, table, (rows) => {
        progress.passed(rows);
        onProgress(progress.now);
      });
    }
    const { rows } = progress.now;
    const end: BackupEnd = { rows, mac: mac.end() };
    await this.#hand(`${JSON.stringify(end)}\n`);
    const { created_at, vault: fingerprints, audit_head } = header;
    const { seq: archivedUpTo } = await readAuditCheckpoint(this.#tables);
    return { rows, created_at, vault: fingerprints, audit_head, archivedUpTo };
  }

  async #header(): Promise<BackupHeader> {
    const { store, tables, version } = this.#parts;
    const described: BackupTable[] = [];
    for (const table of tables) {
      await yieldToEventLoop();
      described.push(describeTableOfBackup(table, await this.#tables.copyOf(table).lastId()));
    }
    const { seq, hash } = await readAuditHead(this.#tables);
    return {
      horarium: 'backup',
      format: backupFormat,
      version,
      created_at: formatInstant(await this.#tables.now()),
      store: store.kind,
      vault: await registeredFingerprints(this.#tables),
      audit_key: required(await readEncryptedAuditKey(this.#tables), 'audit key in the store'),
      audit_head: `${seq}:${hash}`,
      tables: described,
    };
  }

  /** Writes the rows of a table by their ids; ids that JavaScript does not represent exactly belong to no row. */
  async #writeRows(mac: BackupMac, table: TableDescription, onPage: (rows: readonly AnyRow[]) => void): Promise<void> {
    const max = mayHaveLargeRows(table) ? maxPage.large : maxPage.small;
    let limit = firstPage;
    for (let last = 0; ; ) {
      await yieldToEventLoop();
      const where = [
        ['id', '>', last],
        ['id', '<=', Number.MAX_SAFE_INTEGER],
      ] as const;
      const rows = await this.#tables.of(table).find({ where, order: [['id', 'asc']], limit });
      const length = await this.#writeLines(mac, linesOf(table, rows));
      onPage(rows);
      if (rows.length < limit) return;
      last = (rows.at(-1) as AnyRow).id;
      limit = Math.max(1, Math.min(max, limit * 4, Math.floor((limit * pieceLength) / length)));
    }
  }

  /** @returns the length of what was written. */
  async #writeLines(mac: BackupMac, lines: Iterable<string>): Promise<number> {
    let [piece, length] = ['', 0];
    for (const line of lines) {
      await yieldToEventLoop();
      mac.add(line);
      piece += `${line}\n`;
      length += line.length;
      if (piece.length < pieceLength) continue;
      await this.#hand(piece);
      piece = '';
    }
    if (piece !== '') await this.#hand(piece);
    return length;
  }

  #hand(text: string): Promise<void> {
    return keepAlive(this.#tables, this.#parts.clock, this.#write(text));
  }
}

function mayHaveLargeRows({ columns }: TableDescription): boolean {
  return columns.some(
    ({ kind, max = 0 }) => kind === 'json' || kind === 'binary' || (kind === 'text' && max >= longText),
  );
}

function* linesOf(table: TableDescription, rows: readonly AnyRow[]): Generator<string> {
  for (const row of rows) yield lineOf(table, row);
}

function lineOf(table: TableDescription, row: AnyRow): string {
  try {
    return rowToLine(table, row);
  } catch (error) {
    throw conflict(
      `${table.name} ${row.id} was changed past the service, and could not be restored: ${(error as Error).message}`,
    );
  }
}
