import { Company, companyNamed, defineFileImport, flag, importRoute, text } from '@horarium/core/plugin';
import { readCrontabs } from '../lines/read-crontabs.ts';
import { hasSystemFormat } from '../lines/system-format.ts';
import { planSync } from '../sync/plan-sync.ts';
import { reportOn } from '../sync/report.ts';
import { syncCrontabs } from '../sync/sync-crontabs.ts';
import { refusalsOf, requestOf } from '../sync/sync-request.ts';
import { importNotes } from './import-notes.ts';

/** What `crontab:sync` does with files that people send; a name identifies each of them when it is sent again. */
const crontabImport = defineFileImport({
  name: 'crontab',
  summary: 'Make run templates of the lines of crontabs. A file of the same name that is imported later updates them.',
  filesHelp: 'crontabs, as crontab -l prints them, or files of /etc/cron.d',
  options: {
    company: text(255, {
      description:
        'code or name of the company that they belong to; a new one is made where there is none of that name',
    }).required(),
    user: text(32, {
      description: 'user for the jobs of lines that name none; by default the one of all native jobs',
    }),
    timezone: text(64, { description: 'time zone of lines without CRON_TZ; by default that of the service' }),
    system: flag(false, {
      description: 'whether each line names a user before its command, as in /etc/crontab; by default its lines tell',
    }),
  },
  prepare(files, { company: companyName, user, timezone, system }, { core, actor }) {
    const crontabs = files.map(({ name, text: content }) => ({
      file: name,
      source: name,
      text: content,
      system: system || hasSystemFormat(null, content),
      owner: user,
    }));
    const read = requestOf(core, (readOptions) => readCrontabs(crontabs, readOptions), timezone);
    return async (tables, onProgress = () => undefined) => {
      const company = await companyNamed(core.records(Company), tables, actor, companyName);
      const request = { ...read.request, companyId: company.id };
      const changes = await planSync(tables, request);
      const report = await reportOn(core.clock, tables, changes, { actor, request });
      const { serviceTimezone } = request;
      const target = { company, serviceTimezone, usualUser: core.refusals.usualUser('native') };
      await syncCrontabs(core, actor, tables, request, onProgress);
      return {
        ...report,
        notes: [
          ...importNotes(changes, target),
          ...refusalsOf(core, request.crontabs, company.run_as),
          ...read.notes,
          ...report.notes,
        ],
      };
    };
  },
});

/** Imports crontabs that are sent, for the pages of the console. */
export const crontabRoute = importRoute(crontabImport);
