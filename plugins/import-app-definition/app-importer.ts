import {
  App,
  type AppRow,
  defineImporter,
  HorariumError,
  type ImportEntry,
  isCiphertext,
  isSecretType,
  mask,
  type TextFile,
  Topic,
  type Variable,
} from '@horarium/core/plugin';
import type { DefinedApp } from './defined-app.ts';
import { readAppDefinition } from './read-definition.ts';

/** Imports application definition files: each as an App, with the topics it names. */
export const appImporter = defineImporter({
  name: 'app',
  summary: 'Create or update apps from application definition files.',
  filesHelp: 'JSON files, or - for standard input; if any file is invalid, nothing is imported',
  read: (files) => ({ entries: readAll(files), notes: [] }),
});

/** @throws HorariumError `invalid` with the errors of every file, and naming files that define the same App. */
function readAll(files: readonly TextFile[]): ImportEntry<[AppRow]>[] {
  const errors: string[] = [];
  const filesByUuid = new Map<string, string>();
  const entries = files.flatMap(({ name: file, text }) => {
    try {
      const app = readAppDefinition(text, file);
      const other = filesByUuid.get(app.uuid);
      if (other !== undefined) errors.push(`${file}:`, `  defines the same app as ${other} (uuid ${app.uuid})`);
      filesByUuid.set(app.uuid, file);
      return [importEntry(file, app)];
    } catch (error) {
      if (!(error instanceof HorariumError)) throw error;
      errors.push(`${file}:`, ...errorLines(error).map((line) => `  ${line}`));
      return [];
    }
  });
  if (errors.length > 0) throw new HorariumError('invalid', [...errors, 'Nothing was imported.'].join('\n'));
  return entries;
}

/** One line for each invalid field; most messages begin with the path of their field already. */
function errorLines({ errors, message }: HorariumError): string[] {
  if (errors.length === 0) return [message];
  return errors.map((error) =>
    error.message.startsWith(error.field) ? error.message : `${error.field}: ${error.message}`,
  );
}

function importEntry(file: string, app: DefinedApp): ImportEntry<[AppRow]> {
  const { topic_names: topics, ...fields } = app;
  return {
    origin: file,
    records: [
      {
        resource: App,
        fields: { ...fields },
        ...(topics && {
          references: { topics: topics.map((name) => ({ resource: Topic, key: { name }, create: true })) },
        }),
        merge: (stored) => retainSecretDefaults(app, stored),
      },
    ],
    tableRow: ([{ row }]) => ({ id: row.id, name: row.name, version: row.version, file }),
  };
}

/**
 * Returns the environment with a mask as the default of each secret variable whose default the definition leaves out and
 * the store has: a save keeps the secret that a mask stands for. Exports leave out the defaults of secret variables, so
 * importing an export must not clear them.
 */
function retainSecretDefaults({ environment }: DefinedApp, stored: AppRow): Pick<DefinedApp, 'environment'> {
  if (!environment) return {};
  const isRetained = (key: string, { type, default: declared }: Variable) =>
    isSecretType(type) && declared === undefined && isCiphertext(stored.environment[key]?.default);
  const variables = Object.entries(environment).map(([key, variable]) => [
    key,
    isRetained(key, variable) ? { ...variable, default: mask } : variable,
  ]);
  return { environment: Object.fromEntries(variables) };
}
