import type { Fields } from '../../field/field-meta.ts';
import { flag, texts } from '../../field/fields.ts';
import type { Tables } from '../../store/store.ts';
import type { AnyCommand } from '../command.ts';
import { importOf } from './file-import.ts';
import type { AnyImporter } from './importer.ts';

/** Builds the command of an importer, `calendar:import`, which saves all records of the files, or none. */
export function importCommand(importer: AnyImporter): AnyCommand {
  const { name, summary, filesHelp, options: ownOptions, prepare } = importOf(importer);
  return {
    name: `${name}:import`,
    summary,
    group: 'Import and export:',
    arguments: { file: texts(4096, { description: filesHelp }).min(1) },
    options: {
      ...ownOptions,
      dry_run: flag(false, { description: 'only show what would be imported' }),
    } as Fields,
    async run({ core, actor, arguments: { file }, options, output, readFiles }) {
      const { dry_run, ...importOptions } = options as Record<string, unknown>;
      const dryRun = dry_run === true;
      const save = prepare(await readFiles(file as readonly string[]), importOptions, { core, actor, dryRun });
      const work = async (tables: Tables) => {
        const report = await save(tables, (done, total) => output.progress(done, total, 'entries'));
        return { ...report, warnings: tables.warnings };
      };
      const { rows, notes, warnings } = dryRun
        ? (await core.store.dryRun(actor, work)).result
        : await core.store.transaction(actor, work);
      await output.print(rows);
      for (const note of notes) await output.note(note);
      for (const warning of new Set(warnings)) await output.note(`Warning: ${warning}`);
      if (dryRun) await output.note('Nothing was changed: this was a dry run.');
    },
  };
}
