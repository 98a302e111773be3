import type { JsonSchema, Reply, Route, RouteContext } from '@horarium/core/plugin';
import { jobFields } from './first-job-route.ts';
import { list, object, text } from './schemas.ts';

const fields = list(object({ name: text, label: text, type: text }));
const extensions = list(object({ name: text, fields }));
const reach: JsonSchema = { anyOf: [{ enum: ['all', 'own'] }, list({ type: 'integer' })] };
const rights = object({ read: { type: 'boolean' }, create: reach, update: reach, delete: reach });

/** Describes every kind of records to pages, so that they make lists, filters and forms of it. */
export const modelRoute: Route = {
  method: 'GET',
  path: '/console/model',
  summary: 'Describe what lists and forms of every kind of records have, and what the caller may do with them',
  hidden: true,
  authentication: 'required',
  shape: {
    operation: 'getConsoleModel',
    tag: 'console',
    responses: {
      200: {
        description: 'The model.',
        headers: ['ETag'],
        body: {
          schema: object({
            timezone: text,
            roles: list(text),
            company_roles: list(text),
            grantable_roles: list(text),
            schedule_fields: list(text),
            formats: list(object({ suffix: text, mime: text, whole_lists: { type: 'boolean' } })),
            resources: list(object({ name: text, singular: text, plural: text, id: text, rights, fields })),
            executors: extensions,
            actions: extensions,
            event_source_kinds: extensions,
            calendar_rules: extensions,
            imports: list(object({ name: text, summary: text, files: text, fields })),
            job_fields: fields,
          }),
          example: { timezone: 'Europe/Prague', resources: [] },
        },
      },
      304: { description: 'The caller has this model: If-None-Match has its tag.', headers: ['ETag'] },
    },
    preconditions: ['If-None-Match'],
  },
  handle,
};

async function handle({ core, actor, api }: RouteContext): Promise<Reply> {
  const formats = api.formats.map(({ suffix, mime, writeList }) => ({
    suffix,
    mime,
    whole_lists: writeList !== undefined,
  }));
  return {
    value: {
      ...core.forms.model(actor),
      formats,
      imports: api.routes
        .flatMap(({ imports }) => imports ?? [])
        .map(({ name, summary, filesHelp, options = {} }) => ({
          name,
          summary,
          files: filesHelp,
          fields: core.forms.fieldsOf(options),
        })),
      job_fields: core.forms.fieldsOf(jobFields),
    },
    shape: { kind: 'item', name: 'model', fields: null },
    conditional: true,
  };
}
