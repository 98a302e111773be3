import {
  App,
  type AppRow,
  defineImporter,
  HorariumError,
  type ImportEntry,
  type InputFile,
  isCiphertext,
  isSecretType,
  mask,
  Topic,
  type Variable,
} from '@horarium/core/plugin';
import type { AppInput } from './app-input.ts';
import { readAppDefinition } from './read-definition.ts';

/** Imports application definition files: each as an App, with the topics it names. */
export const appImporter = defineImporter({
  name: 'app',
  summary: 'Make apps from application definition files, or bring those they made before up to date.',
  filesHelp: 'JSON files, - for standard input; all of them are imported, or none',
  read: (files) => ({ entries: readAll(files), notes: [] }),
});

/** @throws HorariumError `invalid` with the mistakes of every file, and naming files that define the same App. */
function readAll(files: readonly InputFile[]): ImportEntry<[AppRow]>[] {
  const wrong: string[] = [];
  const apps = new Map<string, string>();
  const entries = files.flatMap(({ name: file, text }) => {
    try {
      const app = readAppDefinition(text, file);
      const other = apps.get(app.uuid);
      if (other !== undefined) wrong.push(`${file}:`, `  defines the same app as ${other} (uuid ${app.uuid})`);
      apps.set(app.uuid, file);
      return [entryOf(file, app)];
    } catch (error) {
      if (!(error instanceof HorariumError)) throw error;
      wrong.push(`${file}:`, ...mistakesOf(error).map((line) => `  ${line}`));
      return [];
    }
  });
  if (wrong.length > 0) throw new HorariumError('invalid', [...wrong, 'Nothing was imported.'].join('\n'));
  return entries;
}

function mistakesOf({ errors, message }: HorariumError): string[] {
  if (errors.length === 0) return [message];
  return errors.map((error) =>
    error.message.startsWith(error.field) ? error.message : `${error.field}: ${error.message}`,
  );
}

function entryOf(file: string, app: AppInput): ImportEntry<[AppRow]> {
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
        merge: (stored) => keepSecretDefaults(app, stored),
      },
    ],
    tableRow: ([{ row }]) => ({ id: row.id, name: row.name, version: row.version, file }),
  };
}

/**
 * Keeps the stored default of a secret variable where the definition leaves it out: exports leave all of them out, and
 * importing one again must not clear them.
 */
function keepSecretDefaults({ environment }: AppInput, stored: AppRow): Pick<AppInput, 'environment'> {
  if (!environment) return {};
  const isKept = (key: string, { type, default: given }: Variable) =>
    isSecretType(type) && given === undefined && isCiphertext(stored.environment[key]?.default);
  const variables = Object.entries(environment).map(([key, variable]) => [
    key,
    isKept(key, variable) ? { ...variable, default: mask } : variable,
  ]);
  return { environment: Object.fromEntries(variables) };
}
