import {
  type Actor,
  Company,
  defineCommand,
  flag,
  type PluginCore,
  RunTemplate,
  ref,
  text,
} from '@horarium/core/plugin';
import { ownUser } from '../../process/users/users.ts';
import { ownerOf } from '../lines/cron-places.ts';
import type { ExportedTemplate } from './exported-line.ts';
import { readTemplates } from './read-templates.ts';
import { writeCrontab } from './write-crontab.ts';

interface ExportRequest {
  /** The id of a company. */
  readonly company: number;
  /** The crontab from which the run templates come; null = any or none. */
  readonly crontab: string | null;
}

/** `crontab:export` */
export const crontabExportCommand = defineCommand({
  name: 'crontab:export',
  summary: 'Write a crontab of run templates, so that cron can run them. It names those that cron cannot run.',
  group: 'Import and export:',
  arguments: {},
  options: {
    company: ref('Company', { description: 'the company whose active run templates are written' }).required(),
    crontab: text(1024, { description: 'only those that come from this crontab, such as web1:/etc/cron.d/php' }),
    system: flag(false, {
      description:
        'write the format of /etc/crontab, which has a user before each command, even if no template names a user',
    }),
  },
  async run({ core, actor, options, output, machineTimezone }) {
    const exported = await exportedTemplates(core, actor, options);
    const namesUser = exported.some((each) => userOf(each) !== null) && !isOfOneUser(exported);
    const written = writeCrontab(exported, {
      system: options.system || namesUser,
      user: ownUser()?.name ?? 'root',
      timezone: machineTimezone,
    });
    await output.write(written.text);
    if (namesUser && !options.system)
      await output.note('It has the format of /etc/crontab, a user before each command: crontab(1) does not take it.');
    for (const note of written.notes) await output.note(note);
    if (exported.length === 0)
      await output.note(
        options.crontab === null
          ? 'There is no active run template to write.'
          : `No active run template comes from ${options.crontab}.`,
      );
  },
});

function userOf({ template: { executor_options } }: ExportedTemplate): string | null {
  return (executor_options['user'] as string | null | undefined) ?? null;
}

/** Whether templates come from the crontab of one user, and run as that user. */
function isOfOneUser(exported: readonly ExportedTemplate[]): boolean {
  const crontab = exported[0]?.crontab ?? null;
  const owner = crontab === null ? null : ownerOf(crontab);
  return owner !== null && exported.every((each) => each.crontab === crontab && userOf(each) === owner);
}

/** Reads the active templates of a company that the actor may see. */
async function exportedTemplates(core: PluginCore, actor: Actor, request: ExportRequest): Promise<ExportedTemplate[]> {
  const company = await core.records(Company).get(actor, request.company);
  const ids: number[] = [];
  const where = [
    ['company_id', '=', company.id],
    ['active', '=', true],
  ] as const;
  for await (const page of core.records(RunTemplate).pages(actor, { where })) ids.push(...page.map(({ id }) => id));
  return core.store.read((tables) => readTemplates(tables, company, ids, request.crontab));
}
