import { App, type CompanyRow, RunTemplate, type Tables } from '@horarium/core/plugin';
import { CrontabSource } from '../sync/crontab-source.ts';
import type { ExportedTemplate } from './exported-line.ts';

/**
 * Reads templates with what a crontab says of them: those of no crontab first, and then those of each crontab by its lines.
 * @param crontab only those that come from it; null = all.
 */
export async function readTemplates(
  tables: Tables,
  company: CompanyRow,
  ids: readonly number[],
  crontab: string | null,
): Promise<ExportedTemplate[]> {
  const templates = await tables.of(RunTemplate).find({ where: [['id', 'in', ids]] });
  const apps = await tables
    .of(App)
    .find({ where: [['id', 'in', [...new Set(templates.map(({ app_id }) => app_id))]]] });
  const sources = await tables.of(CrontabSource).find({ where: [['record_id', 'in', ids]] });
  const appById = new Map(apps.map((app) => [app.id, app]));
  const sourceOf = new Map(sources.map((source) => [source.record_id, source]));
  const places = templates.flatMap((template) => {
    const [app, source] = [appById.get(template.app_id), sourceOf.get(template.id)];
    if (!app || (crontab !== null && source?.crontab !== crontab)) return [];
    const atBoot = source?.at_boot != null && template.interval === 'none';
    return [
      { template, app, company, atBoot, crontab: source?.crontab ?? null, line: source?.crontab_line ?? template.id },
    ];
  });
  const nameOf = ({ crontab: name }: (typeof places)[number]) => name ?? '';
  return places.sort((a, b) => (a.crontab === b.crontab ? a.line - b.line : nameOf(a) < nameOf(b) ? -1 : 1));
}
