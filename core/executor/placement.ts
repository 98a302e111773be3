import type { Assignment } from '../resource/record-services.ts';

/** The name of a pool or of an agent: a label of DNS (RFC 1123). */
export const placeName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** The name of a label, such as `arch` or `example.com/disk`. */
export const labelName = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?$/;
/** The value of a label. */
export const labelValue = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
/** How many labels a job may ask for. */
export const maxLabels = 8;

/** Where a job runs: on agents of the pool that have the executor and all of the labels. */
export type Placement = Pick<Assignment, 'pool' | 'executor' | 'labels'>;
type Labels = Placement['labels'];

/** Writes a placement as jobs store it: `gpu native`, or `gpu native arch=arm64 site=brno` with the labels in the order of their names. */
export function writePlacement({ pool, executor, labels }: Placement): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((name) => `${name}=${labels[name]}`);
  return [pool, executor, ...pairs].join(' ');
}

/** Reads what `writePlacement` has written. */
export function readPlacement(written: string): Placement {
  const [pool = '', executor = '', ...pairs] = written.split(' ');
  return { pool, executor, labels: Object.fromEntries(pairs.map((pair) => pair.split('=', 2) as [string, string])) };
}

/** Whether an agent with these labels has all that are asked for. */
export function hasLabels(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => Object.hasOwn(labels, name) && labels[name] === value);
}
