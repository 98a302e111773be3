import { flag, maxTexts, refs, text, texts } from '../field/fields.ts';
import { anything, json } from '../field/structured.ts';
import { image, uuid, webAddress } from '../field/web-fields.ts';
import { missingExtension } from '../registry/missing-extension.ts';
import { defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { byRole, seenByManagers } from '../resource/permissions.ts';
import { isCiphertext } from '../secret/ciphertext.ts';
import { cipherKeyField } from '../secret/record-cipher.ts';
import type { RowOfTable } from '../store/table.ts';
import { artifactPatterns, exitCodes, secretVariables, variables } from './declarations.ts';
import { variableErrors } from './forbidden-variables.ts';
import { warnOfMissingProgram } from './missing-program.ts';
import { hasPlaceholder } from './placeholder.ts';
import { splitWords } from './split-words.ts';
import { checkVariable } from './variable-value.ts';

function isInside(path: string): boolean {
  return !path.startsWith('/') && !path.split('/').includes('..');
}

const described = defineResource({
  name: 'App',
  cacheRegion: 'configuration',
  names: { singular: 'app', plural: 'apps', id: 'appId' },
  description: 'A program that can be run, with the environment it needs and the meaning of its exit codes.',
  example: {
    uuid: '6f1c2a0e-3b7d-4c58-9a41-0d2e8b5f7c63',
    code: 'pg-backup',
    name: 'PostgreSQL backup',
    description: 'Dumps one database into a file and keeps it.',
    version: '2.1.0',
    executable: '/usr/bin/pg_dump',
    arguments: ['--file', 'backup.sql', '{DATABASE}'],
    tags: ['backup'],
    topics: [1],
    requirements: ['postgresql'],
    environment: {
      DATABASE: { type: 'string', description: 'The database to dump.', required: true },
      PGPASSWORD: { type: 'password', description: 'How pg_dump signs in.' },
    },
    exit_codes: {
      0: { severity: 'success' },
      2: { severity: 'error', retry: false, description: { en: 'No access.' } },
    },
    artifacts: [{ name: 'dump', path: '^backup\\.sql$', type: 'application/sql' }],
    produces: { dump: { format: 'sql', description: { en: 'The whole database.' } } },
    result_file: 'result.json',
  },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byRole(
    { read: 'viewer', write: 'admin' },
    { own: seenByManagers('Managers of a company see all Apps, because they decide which of them it runs.') },
  ),
  company: null,
  key: ['uuid'],
  summaryFields: ['id', 'code', 'name', 'version', 'enabled', 'executable', 'topics'],
  leadingFields: ['name', 'executable', 'arguments', 'stdin'],
  fields: {
    uuid: uuid({ unique: true, description: 'Generated if it is left out.' }),
    code: text(64, { unique: true, description: 'Short name for machines.' }),
    name: text(255, { indexed: true, description: 'Name for people.' }).required(),
    description: text(65_535, { description: 'What the program does.' }),
    version: text(64, { description: 'Version of the program.' }),
    enabled: flag(true, { indexed: true, description: 'A disabled app is not run.' }),
    executable: text(1024, {
      description:
        'A program by path or name. It is started without a shell: one runs only where it is the program itself, such as /bin/sh.',
    }).required(),
    arguments: texts(32_768, {
      detailOnly: true,
      parse: (input: string | readonly string[]) => (typeof input === 'string' ? splitWords(input, maxTexts) : input),
      description:
        'The program gets each as it is, with its blanks and quotes. One text in place of the list, as files and the command line may have it, is split at blanks outside quotes.',
    }),
    stdin: text(1_000_000, { detailOnly: true, description: 'Text for the standard input of the program.' }),
    setup: text(65_535, { detailOnly: true, description: 'For people to read.' }),
    deploy: text(65_535, { detailOnly: true, description: 'For people to read.' }),
    homepage: webAddress({ description: 'Web page of the program.' }),
    image: image({ detailOnly: true, description: 'Picture of the program.' }),
    oci_image: text(1024, { description: 'Container image that holds the program.' }),
    helm_chart: text(1024, { description: 'Helm chart that installs the program.' }),
    tags: texts(255, { description: 'Labels for people.' }),
    topics: refs('Topic'),
    requirements: texts(64, { description: 'Codes of credential types.' }),
    environment: json(
      variables,
      {},
      {
        detailOnly: true,
        description:
          'Variables of the program: {"PORT": {"type": "integer", "required": true}}. Variables that make programs load code are refused.',
      },
    ),
    exit_codes: json(
      exitCodes,
      {},
      {
        detailOnly: true,
        description: 'Meaning of exit codes: {"2": {"severity": "error", "retry": false}}.',
      },
    ),
    result_file: text(1024, { description: 'A file to keep, relative to the working directory.' }),
    artifacts: json(artifactPatterns, [], {
      detailOnly: true,
      description: 'Files to keep: regular expressions over relative paths.',
    }),
    executors: texts(64, {
      names: 'executors',
      description:
        'The executors that its jobs may use. None: container executors if it has an oci_image, else the executors for its kind of executable.',
    }),
    produces: json(anything, {}, { detailOnly: true, description: 'Outputs of the program.' }),
    consumes: json(anything, {}, { detailOnly: true, description: 'Inputs of the program.' }),
    translations: json(anything, {}, { detailOnly: true, description: 'Its texts in other languages.' }),
    cipher_key: cipherKeyField(),
    extra: json(
      anything,
      {},
      { detailOnly: true, description: 'Members of an imported definition that have no field here.' },
    ),
  },
  async check(row, { service, tables, before, errors }) {
    if (row.executable !== before?.executable) await warnOfMissingProgram(tables, service.executors, row);
    row.uuid ??= crypto.randomUUID();
    row.executors.forEach((name, index) => {
      if (service.executors.has(name) || before?.executors.includes(name)) return;
      const field = `executors[${index}]`;
      errors.push({ field, message: `${field}: ${missingExtension('executor', name, service.executors.keys())}` });
    });
    row.artifacts.forEach(({ path }, index) => {
      try {
        service.checkPattern(path);
      } catch (error) {
        const field = `artifacts[${index}].path`;
        errors.push({ field, message: `${field} ${(error as Error).message}` });
      }
    });
    if (row.result_file !== null && !isInside(row.result_file))
      errors.push({ field: 'result_file', message: 'result_file must be a path inside the working directory' });
    errors.push(...variableErrors(service.executors, 'environment', row.environment));
    for (const [key, variable] of Object.entries(row.environment)) {
      const field = `environment.${key}.default`;
      const defaultText = String(variable.default ?? '');
      const problem =
        isCiphertext(defaultText) || hasPlaceholder(defaultText) ? null : checkVariable(variable, defaultText);
      if (problem) errors.push({ field, message: `${field} ${problem}` });
    }
  },
  secrets: (row) =>
    secretVariables(row.environment).flatMap((key) =>
      (row.environment[key]?.default ?? null) === null ? [] : [['environment', key, 'default']],
    ),
});
export type AppRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type AppInput = { [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K] };

/** Describes a program that can be run: the environment it needs and the meaning of its exit codes. */
export const App: Resource<AppRow, AppInput> = described;
