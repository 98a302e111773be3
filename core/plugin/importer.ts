import type { Fields, RowOf } from '../field/field-meta.ts';
import type { Clock } from '../loop/clock.ts';
import type { AnyResource, Resource } from '../resource/define-resource.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';
import type { NamedText, PlainRecord } from './command.ts';

/** A record by its natural key, where a field of another record holds its id. */
export interface RecordReference {
  readonly resource: AnyResource;
  readonly key: PlainRecord;
  /** Creates it from the key where there is none. */
  readonly create?: boolean;
}

/** A record that an import saves: created, or updated where its natural key is found. */
export interface ImportRecord<R extends AnyRow = AnyRow> {
  readonly resource: Resource<R>;
  /** The input of the save, but for `references`. */
  readonly fields: PlainRecord;
  /** Ids to be filled in: of one record, or of a list of records. */
  readonly references?: Readonly<Record<string, RecordReference | readonly RecordReference[]>>;
  /** Fields that replace those above where the record exists; `stored` is its row, secrets encrypted. */
  merge?(stored: R): PlainRecord;
}

/** A line or a file: saved whole, reported as one. `Rows` are the rows of its records, in their order. */
export interface ImportEntry<Rows extends readonly AnyRow[] = readonly AnyRow[]> {
  /** Where it stands, for messages: `crontab, line 3`. */
  readonly origin: string;
  /** Each after those it refers to. */
  readonly records: { readonly [I in keyof Rows]: ImportRecord<Rows[I]> };
  /** Its line in the table that the import prints. */
  describe(stored: StoredEntry<Rows>['records'], dryRun: boolean): PlainRecord;
}

export interface ImportPlan<Rows extends readonly AnyRow[] = readonly AnyRow[]> {
  readonly entries: readonly ImportEntry<Rows>[];
  /** Remarks on what was read, a sentence each. */
  readonly notes: readonly string[];
}

/** What saving did to a record. */
export type ImportResult = 'created' | 'updated' | 'unchanged';

export interface StoredRecord<R extends AnyRow = AnyRow> {
  readonly row: Readonly<R>;
  readonly result: ImportResult;
}

/** An entry with its records as they are stored, in the order in which the import gave them. */
export interface StoredEntry<Rows extends readonly AnyRow[] = readonly AnyRow[]> {
  readonly records: { readonly [I in keyof Rows]: StoredRecord<Rows[I]> };
  readonly result: ImportResult;
}

/** The stored entries of a plan. */
export type StoredEntriesOf<P> = P extends ImportPlan<infer Rows> ? readonly StoredEntry<Rows>[] : never;

/** A record that an earlier import of the same files made, and that they no longer hold. */
export interface ObsoleteRecord {
  readonly resource: AnyResource;
  readonly id: number;
  /** The file that held it. */
  readonly file: string;
  /** `run template 7 (backup)` */
  readonly name: string;
  /** What retiring it saves. */
  readonly retirement: PlainRecord;
  /** Its line in the table that the import prints. */
  readonly columns: PlainRecord;
}

export interface ImportReview {
  /** Remarks on what is stored now, a sentence each. */
  readonly notes: readonly string[];
  readonly obsolete: readonly ObsoleteRecord[];
}

/**
 * PORT: a foreign file format. It reads files into records and writes nothing itself: storing them is the same for all
 * formats. The importer `crontab` is the command `crontab:import`.
 */
export interface Importer<F extends Fields = Fields, P extends ImportPlan = ImportPlan> {
  readonly name: string;
  /** One sentence for `--help`. */
  readonly summary: string;
  /** Describes the files in `--help`. */
  readonly files: string;
  /** Options of the import, described with the same field helpers as records. */
  readonly options?: F;
  /** @throws HorariumError `invalid` naming all that cannot be read: then nothing is imported. */
  read(files: readonly NamedText[], options: RowOf<F>, service: { readonly clock: Clock }): P;
  /**
   * Compares the files with what is stored, in the transaction of the import and after its records were saved. An
   * importer that has it offers `--retire`.
   */
  review?(tables: Tables, plan: P, stored: StoredEntriesOf<P>): Promise<ImportReview>;
}

/** Any importer, where its options do not matter to the types. */
// biome-ignore lint/suspicious/noExplicitAny: the types of options and plan are used in both directions.
export type AnyImporter = Importer<any, any>;

/** Lets the compiler infer the types of an importer's options and plan. It does nothing else. */
export function defineImporter<const F extends Fields, P extends ImportPlan>(importer: Importer<F, P>): Importer<F, P> {
  return importer;
}
