import { Company } from '../company/company.ts';
import type { Instant } from '../loop/clock.ts';
import {
  type KeepFields,
  keepFieldNames,
  type RetentionRules,
  retentionRulesOf,
  type ServiceRetentionRules,
} from '../quota/keep-rules.ts';
import { eachPage, type PageQuery } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import { RunTemplate } from '../template/run-template.ts';
import { day } from '../time/duration.ts';

/** Runs work in a transaction that only reads. */
export type Read = <T>(work: (tables: Tables) => Promise<T>) => Promise<T>;

/** A template with what is kept of its runs. */
export interface TemplateRetention {
  readonly id: number;
  readonly company_id: number;
  readonly rules: RetentionRules;
}

/** What is kept of each template and company, read once for a pass. */
export interface KeepPolicy {
  readonly service: ServiceRetentionRules;
  readonly templates: ReadonlyMap<number, TemplateRetention>;
  /** By the ids of the companies. */
  readonly companies: ReadonlyMap<number, RetentionRules>;
}

const pageSize = 1000;

export async function readKeepPolicy(read: Read, settings: ServiceRetentionRules): Promise<KeepPolicy> {
  const service = {
    ...settings,
    ...retentionRulesOf({ keep_days: null, keep_files_days: null, keep_last: null }, settings),
  };
  const companies = new Map<number, RetentionRules>();
  for await (const page of pagesOf(read, Company, []))
    for (const row of page) companies.set(row.id, retentionRulesOf(row, service));
  const templates = new Map<number, TemplateRetention>();
  for await (const page of pagesOf(read, RunTemplate, ['company_id']))
    for (const row of page) {
      const company_id = row['company_id'] as number;
      const rules = retentionRulesOf(row, companies.get(company_id) ?? service);
      templates.set(row.id, { id: row.id, company_id, rules });
    }
  return { service, companies, templates };
}

function pagesOf(read: Read, description: TableDescription, columns: readonly string[]) {
  const names = ['id', ...keepFieldNames, ...columns];
  const find = (page: PageQuery) => read((tables) => tables.of<AnyRow>(description).find({ ...page, columns: names }));
  return eachPage(find, { size: pageSize }) as AsyncGenerator<(AnyRow & KeepFields)[]>;
}

/** Returns the time before which something must have ended to be deleted; -Infinity = it is kept for ever. */
export function cutoffOf(days: number, now: Instant): Instant {
  return now - days * day;
}
