import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Service } from '../../harness/service.ts';
import type { EmptyDatabase } from '../context.ts';
import type { Side } from '../side.ts';

/** Starts `horarium serve` of a checkout. */
export function startService(
  { root }: Side,
  database: EmptyDatabase,
  environment: Readonly<Record<string, string>> = {},
): Promise<Service> {
  return Service.start(database, { ...settingsUnknownTo(root), ...environment }, 'ignore', root);
}

/** A service refuses to start with a setting that it does not know; README lists those that it knows. */
function settingsUnknownTo(root: string): Readonly<Record<string, undefined>> {
  const name = 'HORARIUM_MAX_REQUESTS_PER_SECOND';
  return readFileSync(join(root, 'README.md'), 'utf8').includes(name) ? {} : { [name]: undefined };
}
