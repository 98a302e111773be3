import { App } from '../app/app.ts';
import { Company } from '../company/company.ts';
import { notFound } from '../errors.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { visibleTo } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Where } from '../store/query.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { compareValues } from '../store/where.ts';
import { disabledIds } from '../template/disabled-reason.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import type { OffReason } from './timeline.ts';

const columns = ['id', 'code', 'name', 'company_id', 'app_id', 'active'] as const;

/** A template with the names by which it is sorted. */
export interface NamedTemplate extends Pick<RunTemplateRow, (typeof columns)[number]> {
  readonly company: string;
  readonly app: string | null;
  readonly off: OffReason | null;
}

/** How many templates are read at once to be sorted, where companies are no larger. */
const maxRead = 2000;

/** Which templates a page of a timeline has. */
export interface TemplatePage {
  readonly where: Where<RunTemplateRow>;
  /** Leaves out templates for which it returns false. */
  readonly matches: (template: Pick<RunTemplateRow, 'id' | 'code' | 'name'>) => boolean;
  /** The id of the last template of the page before; null = this is the first one. */
  readonly after: number | null;
  readonly limit: number;
}

/**
 * Reads a page of templates by company, App and name. It reads the templates of some companies at a time, because names of
 * companies and Apps are in other tables, by which no index sorts.
 * @throws HorariumError `not_found` for an `after` that the actor may not see.
 */
export async function readTemplatePage(
  tables: Tables,
  actor: Actor,
  { where, matches, after, limit }: TemplatePage,
): Promise<{ readonly templates: readonly NamedTemplate[]; readonly isLast: boolean }> {
  const counts = await tables.of(RunTemplate).countBy(['company_id'], where);
  const last = after === null ? null : await readKey(tables, actor, after);
  const ids = [...counts.map(({ values: [id] }) => id), ...(last ? [last.company_id] : [])];
  const names = new Map(
    [...(await readByIds(tables, Company, ids, ['id', 'name']))].map(([id, { name }]) => [id, name]),
  );
  const sizes = new Map(counts.map(({ values: [id], count }) => [id, count]));
  const sorted = [...sizes.keys()].sort(
    (one, other) => compareValues(names.get(one) ?? null, names.get(other) ?? null) || one - other,
  );
  const complete = await namer(tables, actor, names);
  const [lastNamed] = last ? await complete([last]) : [];
  const page: NamedTemplate[] = [];
  for (let at = 0; at < sorted.length && page.length <= limit; ) {
    await yieldToEventLoop();
    const companies: number[] = [];
    for (let read = 0; at < sorted.length && (companies.length === 0 || read < maxRead); at += 1) {
      const id = sorted[at] as number;
      if (lastNamed && compareCompanies({ company_id: id, company: names.get(id) ?? '' }, lastNamed) < 0) continue;
      companies.push(id);
      read += sizes.get(id) ?? 0;
    }
    const keys = await tables.of(RunTemplate).find({ where: [['company_id', 'in', companies], ...where], columns });
    const found = (await complete(keys.filter(matches))).sort(compareTemplates);
    page.push(...found.filter((each) => !lastNamed || compareTemplates(each, lastNamed) > 0).slice(0, limit + 1));
  }
  return { templates: page.slice(0, limit), isLast: page.length <= limit };
}

type Key = Pick<RunTemplateRow, (typeof columns)[number]>;

async function readKey(tables: Tables, actor: Actor, id: number): Promise<Key> {
  const where: Where<RunTemplateRow> = [['id', '=', id], ...visibleTo(actor, RunTemplate)];
  const [key] = await tables.of(RunTemplate).find({ where, columns });
  if (!key) throw notFound(RunTemplate.name, id);
  return key;
}

/** Returns a function that adds to templates what they are sorted by, and whether they are switched off. */
async function namer(tables: Tables, actor: Actor, companies: ReadonlyMap<number, string>) {
  const disabledApps = new Set(await disabledIds(tables, App));
  const disabledCompanies = new Set(await disabledIds(tables, Company));
  const offReasonOf = ({ active, app_id, company_id }: Key): OffReason | null => {
    if (!active) return 'inactive';
    if (disabledApps.has(app_id)) return 'app_disabled';
    return disabledCompanies.has(company_id) ? 'company_disabled' : null;
  };
  return async (keys: readonly Key[]): Promise<NamedTemplate[]> => {
    const ids = [...new Set(keys.map(({ app_id }) => app_id))];
    const where = [['id', 'in', ids] as const, ...visibleTo(actor, App)];
    const apps = new Map(
      (await tables.of(App).find({ where, columns: ['id', 'name'] })).map((app) => [app.id, app.name]),
    );
    return keys.map((key) => ({
      ...key,
      company: companies.get(key.company_id) ?? '',
      app: apps.get(key.app_id) ?? null,
      off: offReasonOf(key),
    }));
  };
}

type CompanyKey = Pick<NamedTemplate, 'company' | 'company_id'>;

function compareCompanies(one: CompanyKey, other: CompanyKey): number {
  return compareValues(one.company, other.company) || one.company_id - other.company_id;
}

function compareTemplates(one: NamedTemplate, other: NamedTemplate): number {
  return (
    compareCompanies(one, other) ||
    compareValues(one.app, other.app) ||
    one.app_id - other.app_id ||
    compareValues(one.name, other.name) ||
    one.id - other.id
  );
}
