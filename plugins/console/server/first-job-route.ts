import {
  App,
  Company,
  companyNamed,
  type Reply,
  type Route,
  type RouteContext,
  RunTemplate,
  readValues,
  schemaOf,
  text,
} from '@horarium/core/plugin';
import { object } from './schemas.ts';

/** What a person says of a first job. */
export const jobFields = {
  name: text(255, { description: 'What people call it.' }).required(),
  command: text(65_536, { description: 'A line that the shell /bin/sh runs.' }).required(),
  cron: text(255, { format: 'cron', description: 'When it runs: 5 or 6 fields, or @daily and the like.' }).required(),
  timezone: text(64, { format: 'timezone', description: 'The time zone of these times; else that of the service.' }),
  company: text(255, {
    description: 'Code or name of the company that it belongs to. A new one is made where there is none of that name.',
  }).required(),
};

/** Makes all that a job needs: its company, an App that runs a shell with the command, and the run template. */
export const firstJobRoute: Route = {
  method: 'POST',
  path: '/console/job',
  summary: 'Make a run template of a command, with its App, and its company where there is none of that name',
  hidden: true,
  authentication: 'required',
  shape: {
    operation: 'makeJob',
    tag: 'console',
    requestBody: {
      schema: schemaOf(jobFields),
      example: { name: 'Backup', command: '/usr/local/bin/backup', cron: '0 3 * * *', company: 'Acme Inc.' },
    },
    responses: {
      200: {
        description: 'The id of the run template.',
        body: { schema: object({ id: { type: 'integer' } }), example: { id: 7 } },
      },
    },
    errors: [409, 422],
    dryRun: true,
  },
  handle,
};

async function handle(context: RouteContext): Promise<Reply> {
  const { core, actor } = context;
  const { name, command, cron, timezone, company } = readValues(jobFields, context.body, 'The job');
  return context.inTransaction(async (tables) => {
    const { id: company_id } = await companyNamed(core.records(Company), tables, actor, company);
    const app = { name, executable: '/bin/sh', arguments: ['-c', command] };
    const { id: app_id } = await core.records(App).saveIn(tables, actor, app);
    const zone = timezone === null ? {} : { timezone };
    const template = { name, company_id, app_id, interval: 'custom', cron, ...zone } as const;
    const row = await core.records(RunTemplate).saveIn(tables, actor, template);
    const writtenRecord = { resource: RunTemplate.name, row, created: true };
    return { value: { id: row.id }, shape: { kind: 'item', name: 'job', fields: null }, writtenRecord };
  });
}
