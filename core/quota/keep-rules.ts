import { integer } from '../field/fields.ts';

/** For how long, and how many, ended runs are kept; Infinity = for ever, or any number. */
export interface RetentionRules {
  /** Days since the end of a Task or a job. */
  readonly days: number;
  /** Days for which a job that has ended keeps its output and artifacts. */
  readonly filesDays: number;
  /** How many Tasks of a template are kept, and how many jobs. */
  readonly last: number;
}

/** What is kept where no template and no company says otherwise. */
export interface ServiceRetentionRules extends RetentionRules {
  /** How many Tasks and jobs of one company are kept together; of its events, and of its deliveries, as many. */
  readonly rowsPerCompany: number;
  /** Days after which sealed entries of the audit log leave the store for the archive. */
  readonly auditDays: number;
}

export const keepEverything: ServiceRetentionRules = {
  days: Infinity,
  filesDays: Infinity,
  last: Infinity,
  rowsPerCompany: Infinity,
  auditDays: Infinity,
};

/** A hundred years, which means for ever, also where the service keeps less; and as many rows as mean all. */
export const maxKeepDays = 36_500;
export const maxKeepLast = 10_000_000;

/** The fields that say what is kept. Only admins set them, because Tasks are evidence, also against their company. */
export const keepFieldNames = ['keep_days', 'keep_files_days', 'keep_last'] as const;

type KeepField = (typeof keepFieldNames)[number];
export type KeepFields = Readonly<Record<KeepField, number | null>>;

/** Returns the fields of a record that say what is kept. @param otherwise what counts where a field is null. */
export function keepFields(otherwise: string) {
  const rule = (description: string, max: number) =>
    integer({ description: `${description} Null = ${otherwise}. Only admins set it.` })
      .min(1)
      .max(max);
  return {
    keep_days: rule('Days after which ended Tasks and jobs are deleted, with all that belongs to them.', maxKeepDays),
    keep_files_days: rule('Days after which the output and the artifacts of ended jobs are deleted.', maxKeepDays),
    keep_last: rule(
      'How many Tasks, and how many jobs without a Task, each template keeps at most: the newest.',
      maxKeepLast,
    ),
  };
}

/** Adds the defaults to the rules of a service. */
export function serviceRules(some: Partial<ServiceRetentionRules>): ServiceRetentionRules {
  const rules = { ...keepEverything, ...some };
  return { ...rules, auditDays: upTo(maxKeepDays, rules.auditDays) };
}

/** Returns the rules of a record, those of `otherwise` where it has none; the largest number stands for all. */
export function retentionRulesOf(record: KeepFields, otherwise: RetentionRules): RetentionRules {
  return {
    days: upTo(maxKeepDays, record.keep_days ?? otherwise.days),
    filesDays: upTo(maxKeepDays, record.keep_files_days ?? otherwise.filesDays),
    last: upTo(maxKeepLast, record.keep_last ?? otherwise.last),
  };
}

function upTo(max: number, value: number): number {
  return value < max ? value : Infinity;
}
