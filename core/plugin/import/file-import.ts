import type { Fields, RowOf } from '../../field/field-meta.ts';
import type { Actor } from '../../resource/actor.ts';
import type { Tables } from '../../store/store.ts';
import type { PlainRecord, TextFile } from '../command.ts';
import type { PluginCore } from '../plugin-core.ts';
import type { AnyImporter, ImportPlan, StoredEntry } from './importer.ts';
import { storeImport } from './store-import.ts';

/** Who imports, and whether the import is rolled back after all. */
export interface ImportContext {
  readonly core: PluginCore;
  readonly actor: Actor;
  readonly dryRun: boolean;
}

/** What an import did, or would do. */
export interface ImportReport {
  /** A row for each thing that was in the files. */
  readonly rows: readonly PlainRecord[];
  /** Remarks, a sentence each. */
  readonly notes: readonly string[];
}

/**
 * Saves what was read in the caller's transaction.
 * @param onProgress is called now and then.
 */
export type ImportWork = (tables: Tables, onProgress?: (done: number, total: number) => void) => Promise<ImportReport>;

/** An import of text files, in the way that commands and pages offer it. */
export interface FileImport<F extends Fields = Fields> {
  readonly name: string;
  readonly summary: string;
  readonly filesHelp: string;
  readonly options?: F;
  /** Reads the files. @throws HorariumError `invalid` that names everything that cannot be read. */
  prepare(files: readonly TextFile[], options: RowOf<F>, context: ImportContext): ImportWork;
}

/** An import with any options. */
// biome-ignore lint/suspicious/noExplicitAny: FileImport is invariant in its options, so only any accepts every import.
export type AnyFileImport = FileImport<any>;

/** Returns the import unchanged; lets the compiler infer the types of its options. */
export function defineFileImport<const F extends Fields>(fileImport: FileImport<F>): FileImport<F> {
  return fileImport;
}

/** The import that an importer makes: it saves all records of the files, or none. */
export function importOf(importer: AnyImporter): AnyFileImport {
  const { name, summary, filesHelp, options } = importer;
  return {
    name,
    summary,
    filesHelp,
    options,
    prepare(files, values, { core, actor, dryRun }) {
      const plan: ImportPlan = importer.read(files, values, core);
      return async (tables, onProgress) => {
        const stored = await storeImport(core, actor, tables, plan, onProgress);
        const rows = plan.entries.map((entry, index): PlainRecord => {
          const { records, result } = stored[index] as StoredEntry;
          return { ...entry.tableRow(records, dryRun), result };
        });
        return { rows, notes: plan.notes };
      };
    },
  };
}
