import type { AppRow, RunTemplateRow } from '@horarium/core/plugin';
import { baseNameOf, retirementNote } from '../lines/crontab-records.ts';
import type { ActionList } from '../lines/mail-of-lines.ts';
import type { ReadCrontab } from '../lines/read-crontabs.ts';
import type { CrontabSourceRow } from './crontab-source.ts';
import type { FormerLine } from './match-lines.ts';
import type { ZonedCrontab, ZonedLine } from './zoned-crontab.ts';

/** What a sync makes of a line. */
export interface LineChange {
  readonly result: 'added' | 'changed' | 'restored' | 'removed' | 'unchanged';
  readonly crontab: ZonedCrontab;
  /** Undefined for a line that was removed. */
  readonly line?: ZonedLine;
  /** The actions that are to follow a failure in place of those that there are; null = these. */
  readonly on_failure?: ActionList | null;
  /** What it was before; undefined = it is new. */
  readonly was?: FormerCrontabLine;
  /** The code of its run template, of one that is added too. */
  readonly code: string | null;
  /** The names that its records get; left out = those that they have. */
  readonly names: { readonly template?: string; readonly app?: string };
}

/** A line that a crontab had, with the records that were made of it. */
export interface FormerCrontabLine extends FormerLine {
  readonly crontab: ReadCrontab;
  readonly template: RunTemplateRow;
  readonly app: AppRow | undefined;
  /** Whether other templates run it too. */
  readonly isAppShared: boolean;
  /** Undefined for a template that an earlier version imported. */
  readonly source: CrontabSourceRow | undefined;
  readonly line: number;
}

/** Whether a template was switched off because the crontab had lost its line, and not by a person. */
export function isRetired({ active, note }: RunTemplateRow, file: string): boolean {
  return !active && note === retirementNote(baseNameOf(file));
}
