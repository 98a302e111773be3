import type { Group } from '../arguments.ts';
import { burst } from './burst.ts';
import { drained } from './drained.ts';
import { get } from './get.ts';
import type { Measurement } from './measurement.ts';
import { memory } from './memory.ts';
import { drain, shell } from './printed.ts';
import { start } from './start.ts';
import { statements } from './statements.ts';

export const measurements: Readonly<Record<Group, Measurement>> = {
  statements,
  start,
  drained,
  burst,
  memory,
  get,
  shell,
  drain,
};

/** The order of the groups in the table; they are measured in another one, the quick ones first. */
export const shownOrder: readonly Group[] = [
  'shell',
  'drain',
  'statements',
  'drained',
  'burst',
  'get',
  'memory',
  'start',
];
