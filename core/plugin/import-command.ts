import type { Fields } from '../field/field-meta.ts';
import { flag, texts } from '../field/fields.ts';
import type { Tables } from '../store/store.ts';
import type { AnyCommand, PlainRecord } from './command.ts';
import type { AnyImporter, ImportPlan, StoredEntry } from './importer.ts';
import { storeImport } from './store-import.ts';

/** Builds the command of an importer, `calendar:import`, which saves all records of the files, or none. */
export function importCommand(importer: AnyImporter): AnyCommand {
  return {
    name: `${importer.name}:import`,
    summary: importer.summary,
    group: 'Import and export:',
    arguments: { file: texts(4096, { description: importer.filesHelp }).min(1) },
    options: {
      ...importer.options,
      dry_run: flag(false, { description: 'only show what would be imported' }),
    } as Fields,
    async run({ core, actor, arguments: { file }, options, output, readFiles }) {
      const { dry_run: dryRun, ...importerOptions } = options as Record<string, unknown>;
      const plan: ImportPlan = importer.read(await readFiles(file as readonly string[]), importerOptions, core);
      const work = async (tables: Tables) => {
        const stored = await storeImport(core, actor, tables, plan, (done, total) =>
          output.progress(done, total, 'entries'),
        );
        return { stored, warnings: tables.warnings };
      };
      const { stored, warnings } = dryRun
        ? (await core.store.dryRun(actor, work)).result
        : await core.store.transaction(actor, work);
      const rows = plan.entries.map((entry, index): PlainRecord => {
        const { records, result } = stored[index] as StoredEntry;
        return { ...entry.tableRow(records, dryRun === true), result };
      });
      await output.print(rows);
      for (const note of plan.notes) await output.note(note);
      for (const warning of new Set(warnings)) await output.note(`Warning: ${warning}`);
      if (dryRun) await output.note('Nothing was changed: this was a dry run.');
    },
  };
}
