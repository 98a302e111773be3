import { type Core, trustedActor } from '@horarium/core';
import type { TextFile } from '@horarium/core/plugin';
import { importCommand } from '#core/plugin/import/import-command';
import type { AnyImporter } from '#core/plugin/import/importer';

/** Runs the command of an importer and returns the rows and notes that it prints. */
export async function runImport(
  core: Core,
  importer: AnyImporter,
  files: readonly TextFile[],
  options: Readonly<Record<string, unknown>> = {},
) {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into rows of every shape.
  const rows: any[] = [];
  const notes: string[] = [];
  await importCommand(importer).run({
    core,
    actor: trustedActor('tester'),
    arguments: { file: files.map(({ name }) => name) },
    options: { dry_run: false, ...options },
    output: {
      print: async (printed) => void rows.push(...[printed].flat()),
      write: async () => {},
      note: async (sentence) => void notes.push(sentence),
      progress: () => undefined,
    },
    folder: '/',
    serviceUrl: 'http://127.0.0.1:8080',
    machineTimezone: 'UTC',
    readFiles: async () => files,
  });
  return { rows, notes };
}
