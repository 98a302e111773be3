import { existsSync, readFileSync } from 'node:fs';
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

/** The documents that list the settings of a service, of any commit. */
const documents = ['README.md', 'plugins/docs/handbook/reference/settings.md'];

/** A service refuses to start with a setting that it does not know. */
function settingsUnknownTo(root: string): Readonly<Record<string, undefined>> {
  const name = 'HORARIUM_MAX_REQUESTS_PER_SECOND';
  const paths = documents.map((document) => join(root, document)).filter((path) => existsSync(path));
  return paths.some((path) => readFileSync(path, 'utf8').includes(name)) ? {} : { [name]: undefined };
}
