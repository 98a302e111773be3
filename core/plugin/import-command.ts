import type { Fields } from '../field/field-meta.ts';
import { flag, texts } from '../field/fields.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Actor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import type { AnyCommand, PlainRecord } from './command.ts';
import type { AnyImporter, ImportPlan, ImportReview, ObsoleteRecord, StoredEntry } from './importer.ts';
import type { PluginCore } from './plugin-core.ts';
import { storeImport } from './store-import.ts';

/** Builds the command of an importer, `crontab:import`, which saves all records of the files, or none. */
export function importCommand(importer: AnyImporter): AnyCommand {
  return {
    name: `${importer.name}:import`,
    summary: importer.summary,
    group: 'Import and export:',
    arguments: { file: texts(4096, { description: importer.filesHelp }).min(1) },
    options: {
      ...importer.options,
      dry_run: flag(false, { description: 'only show what would be imported' }),
      ...(importer.review && { retire: flag(false, { description: 'switch off what the files no longer hold' }) }),
    } as Fields,
    async run({ core, actor, arguments: { file }, options, output, readFiles }) {
      const { dry_run: dryRun, retire = false, ...importerOptions } = options as Record<string, unknown>;
      const plan: ImportPlan = importer.read(await readFiles(file as readonly string[]), importerOptions, core);
      const { stored, review, warnings } = await importInTransaction(core, actor, dryRun === true, async (tables) => {
        const stored = await storeImport(core, actor, tables, plan);
        const review = (await importer.review?.(tables, plan, stored)) ?? nothingToReview;
        if (retire) await retireAll(core, actor, tables, review.obsolete);
        return { stored, review, warnings: tables.warnings };
      });
      const rows = plan.entries.map((entry, index): PlainRecord => {
        const { records, result } = stored[index] as StoredEntry;
        return { ...entry.tableRow(records, dryRun === true), result };
      });
      const obsolete = review.obsolete.map(({ tableRow }) => ({
        ...tableRow,
        result: retire ? 'retired' : 'obsolete',
      }));
      await output.print([...rows, ...obsolete]);
      for (const record of review.obsolete) await output.note(describeObsolete(record, retire === true));
      for (const note of [...review.notes, ...plan.notes]) await output.note(note);
      for (const warning of new Set(warnings)) await output.note(`Warning: ${warning}`);
      if (dryRun) await output.note('Nothing was changed: this was a dry run.');
    },
  };
}

const nothingToReview: ImportReview = { notes: [], obsolete: [] };

function describeObsolete({ file, name }: ObsoleteRecord, retired: boolean): string {
  const outcome = retired ? 'it is switched off' : 'it still runs, and --retire switches it off';
  return `${file} no longer holds ${name}: ${outcome}.`;
}

async function retireAll(
  core: PluginCore,
  actor: Actor,
  tables: Tables,
  obsolete: readonly ObsoleteRecord[],
): Promise<void> {
  for (const { resource, id, retirement } of obsolete) {
    await yieldToEventLoop();
    await core.records(resource).saveIn(tables, actor, retirement, { id });
  }
}

/** Runs the work in one transaction; a dry run rolls it back, so that it returns what an import would really do. */
async function importInTransaction<T>(
  { store }: PluginCore,
  actor: Actor,
  dryRun: boolean,
  work: (tables: Tables) => Promise<T>,
): Promise<T> {
  if (!dryRun) return store.transaction(actor, work);
  let result: { readonly value: T } | undefined;
  try {
    return await store.transaction(actor, async (tables) => {
      result = { value: await work(tables) };
      throw new RolledBack();
    });
  } catch (error) {
    if (error instanceof RolledBack && result) return result.value;
    throw error;
  }
}

class RolledBack extends Error {}
