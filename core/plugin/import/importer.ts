import type { Fields, RowOf } from '../../field/field-meta.ts';
import type { AnyResource, Resource } from '../../resource/define-resource.ts';
import type { AnyRow } from '../../store/table.ts';
import type { PlainRecord, TextFile } from '../command.ts';
import type { PluginCore } from '../plugin-core.ts';

/** A reference to a record by its natural key, where a field of another record holds its id. */
export interface RecordReference {
  readonly resource: AnyResource;
  readonly key: PlainRecord;
  /** Whether the record is created from the key where it does not exist. */
  readonly create?: boolean;
}

/** A record that an import saves: created, or updated where its natural key is found. */
export interface ImportRecord<R extends AnyRow = AnyRow> {
  readonly resource: Resource<R>;
  /** The input of the save, without the fields in `references`. */
  readonly fields: PlainRecord;
  /** The fields that hold the id of another record, or a list of ids. */
  readonly references?: Readonly<Record<string, RecordReference | readonly RecordReference[]>>;
  /** Returns fields that replace those above when the record exists. Secrets in its stored row are encrypted. */
  merge?(stored: R): PlainRecord;
}

/**
 * A line or a file of the import, whose records are saved together and reported in one row. `Rows` are the types of
 * their stored rows, in the same order.
 */
export interface ImportEntry<Rows extends readonly AnyRow[] = readonly AnyRow[]> {
  /** The place of the entry, for messages: `closures.ics`. */
  readonly origin: string;
  /** The records of the entry; each comes after those that it refers to. */
  readonly records: { readonly [I in keyof Rows]: ImportRecord<Rows[I]> };
  /** Returns the row of the entry in the table that the import prints. */
  tableRow(stored: StoredEntry<Rows>['records'], dryRun: boolean): PlainRecord;
}

/** The records that an importer read from the files, which the import is to save. */
export interface ImportPlan<Rows extends readonly AnyRow[] = readonly AnyRow[]> {
  readonly entries: readonly ImportEntry<Rows>[];
  /** Remarks on what was read, a sentence each. */
  readonly notes: readonly string[];
}

/** The effect of a save on a record. */
export type ImportResult = 'created' | 'updated' | 'unchanged';

/** A record that an import saved. */
export interface StoredRecord<R extends AnyRow = AnyRow> {
  readonly row: Readonly<R>;
  readonly result: ImportResult;
}

/** An entry that an import saved, with its records in the order of the entry. */
export interface StoredEntry<Rows extends readonly AnyRow[] = readonly AnyRow[]> {
  readonly records: { readonly [I in keyof Rows]: StoredRecord<Rows[I]> };
  /** The result of the last record that was created or updated. */
  readonly result: ImportResult;
}

/** What an importer may ask the service. */
export type ImportService = Pick<PluginCore, 'clock' | 'refusals'>;

/**
 * PORT: a foreign file format. It reads files into records and writes nothing itself: storing them is the same for all
 * formats. The importer `calendar` is the command `calendar:import`.
 */
export interface Importer<F extends Fields = Fields, P extends ImportPlan = ImportPlan> {
  readonly name: string;
  /** What the command does; `horarium --help` shows the first sentence alone. */
  readonly summary: string;
  /** The description of the files in `--help`. */
  readonly filesHelp: string;
  /** Options of the import, described with the same field helpers as records. */
  readonly options?: F;
  /**
   * Reads the files.
   * @throws HorariumError `invalid` that names everything that cannot be read; nothing is imported then.
   */
  read(files: readonly TextFile[], options: RowOf<F>, service: ImportService): P;
}

/** An importer with any options and plan. */
// biome-ignore lint/suspicious/noExplicitAny: Importer is invariant in both, so only any accepts every importer.
export type AnyImporter = Importer<any, any>;

/** Returns the importer unchanged; lets the compiler infer the types of its options and plan. */
export function defineImporter<const F extends Fields, P extends ImportPlan>(importer: Importer<F, P>): Importer<F, P> {
  return importer;
}
