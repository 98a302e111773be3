import { array, object, string } from 'yup';
import type { Fields } from '../../field/field-meta.ts';
import { schemaOf } from '../../field/json-schema.ts';
import { json } from '../../field/structured.ts';
import { readValues } from '../../records/plugin-options.ts';
import type { TextFile } from '../command.ts';
import type { Reply, Route, RouteContext } from '../route.ts';
import type { AnyFileImport } from './file-import.ts';

/** How many files a request may import, and how many characters the name and the text of one may have. */
const [maxFiles, maxName, maxText] = [100, 255, 1_048_576];

const name = string()
  .max(maxName)
  .matches(/^\P{Cc}*$/u, ({ path }) => `${path} may hold no control characters`)
  .required();
const file = object({ name, text: string().max(maxText).defined() }).noUnknown();
const filesField = json(
  array().of<TextFile>(file).min(1, 'files must hold a file').max(maxFiles).defined(),
  [],
).required();

/** Builds the hidden route of an import, `POST /imports/crontab`: pages send files and options as JSON, a dry run first. */
export function importRoute(fileImport: AnyFileImport): Route {
  const { summary, options = {} } = fileImport;
  const fields = { files: filesField, ...options };
  return {
    method: 'POST',
    path: `/imports/${fileImport.name}`,
    summary,
    hidden: true,
    authentication: 'required',
    imports: fileImport,
    shape: {
      operation: `import-${fileImport.name}`,
      tag: 'imports',
      requestBody: {
        schema: schemaOf(fields),
        example: { files: [{ name: 'web1', text: '…' }] },
      },
      responses: {
        200: {
          description: 'What was imported, a row for each thing in the files, and remarks.',
          body: {
            schema: {
              type: 'object',
              properties: {
                rows: { type: 'array', items: { type: 'object' } },
                notes: { type: 'array', items: { type: 'string' } },
              },
              required: ['rows', 'notes'],
            },
            example: { rows: [], notes: [] },
          },
        },
      },
      errors: [409, 422],
      dryRun: true,
    },
    handle: (context) => handle(fileImport, fields, context),
  };
}

async function handle({ prepare }: AnyFileImport, fields: Fields, context: RouteContext): Promise<Reply> {
  const { core, actor, body, dryRun } = context;
  const { files, ...values } = readValues(fields, body, 'The import') as { readonly files: readonly TextFile[] };
  const save = prepare(files, values, { core, actor, dryRun });
  return context.inTransaction(async (tables) => {
    const value = await save(tables);
    return { value, shape: { kind: 'item', name: 'import', fields: null } };
  });
}
