import { formatSize } from '../field/byte-size.ts';
import { count, instant, text } from '../field/fields.ts';
import type { Instant } from '../loop/clock.ts';
import { deleteBatch, required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping, newRow, type RowOfTable } from '../store/table.ts';
import { day } from '../time/duration.ts';
import { formatInstant } from '../time/instant.ts';

/** The bytes that all hosts together stored for an owner on one day of UTC. */
export const DailyUsage = defineBookkeeping({
  name: 'DailyUsage',
  fields: {
    /** No reference: the usage of a company that was deleted is pruned with all others. */
    owner: text(64).required(),
    /** The beginning of the day. */
    day: instant({ indexed: true }).required(),
    output: count(0, { description: 'Bytes.' }),
    artifacts: count(0, { description: 'Bytes.' }),
    changes: count(0, { description: 'Bytes.' }),
  },
  unique: [['owner', 'day']],
});
export type DailyUsageRow = RowOfTable<typeof DailyUsage>;

/** The unique group of the table. */
export const usageKey = ['owner', 'day'] as const;

/** Whose usage is counted: `company 5`, or `user 7` for what belongs to no company. */
export type UsageOwner = `${'company' | 'user'} ${number}`;

/** What is limited: output and artifacts of jobs, and the rows and audit entries that changes write. */
export type Stored = 'output' | 'artifacts' | 'changes';

/** How many bytes are stored for one owner in a day of UTC; Infinity = any number. */
export interface DailyLimits {
  readonly maxOutputPerDay: number;
  readonly maxArtifactsPerDay: number;
  readonly maxChangesPerDay: number;
}

export const noDailyLimits: DailyLimits = {
  maxOutputPerDay: Infinity,
  maxArtifactsPerDay: Infinity,
  maxChangesPerDay: Infinity,
};

const limitNames = {
  output: 'maxOutputPerDay',
  artifacts: 'maxArtifactsPerDay',
  changes: 'maxChangesPerDay',
} as const satisfies Record<Stored, keyof DailyLimits>;

export function limitOf(limits: DailyLimits, stored: Stored): number {
  return limits[limitNames[stored]];
}

/** Returns the beginning of the day of UTC. */
export function dayOf(at: Instant): Instant {
  return Math.floor(at / day) * day;
}

/** Returns when the usage of that day counts no more. */
export function resetOf(usageDay: Instant): Instant {
  return usageDay + day;
}

/** Writes that an owner has reached a limit, as the end of a sentence. */
export function describeExhausted(stored: Stored, owner: UsageOwner, limits: DailyLimits, usageDay: Instant): string {
  const limit = formatSize(limitOf(limits, stored));
  return `${owner} may store ${limit} of ${stored} a day, which are used up until ${formatInstant(resetOf(usageDay))}`;
}

/** Writes the line that replaces the output of a company that has reached its limit. */
export function dailyOutputCut(owner: UsageOwner, limits: DailyLimits, usageDay: Instant): string {
  return `[horarium: output cut: ${describeExhausted('output', owner, limits, usageDay)}]`;
}

/** Reads the usage of an owner on the present day, and locks it until the transaction ends. */
export async function lockUsage(tables: Tables, owner: UsageOwner): Promise<DailyUsageRow> {
  const today = dayOf(await tables.now());
  const table = tables.of(DailyUsage);
  await table.insertAbsent([newRow(DailyUsage, { owner, day: today })], usageKey);
  const where = [['owner', '=', owner] as const, ['day', '=', today] as const];
  const [usage] = await table.find({ where, lock: 'wait' });
  return required(usage, `usage of ${owner}`);
}

/** Deletes the usage of days that are over. */
export const dailyUsage = {
  /** @returns whether there is more. */
  async prune(tables: Tables): Promise<boolean> {
    // A day is kept longer than it lasts, because the clock may be set back.
    const oldest = dayOf(await tables.now()) - day;
    return deleteBatch(tables.of(DailyUsage), [['day', '<', oldest]], 500);
  },
};
