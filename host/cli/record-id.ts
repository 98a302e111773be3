import {
  type AnyResource,
  type AnyRow,
  badRequest,
  didYouMean,
  type FieldDescription,
  HorariumError,
  namingFieldsOf,
  nounsOf,
} from '@horarium/core';
import { readIdArgument } from './arguments.ts';
import type { CommandSession } from './command-session.ts';

/** How many records of one name a message lists. */
const maxListed = 10;
/** How many of the newest records are compared with a name that no record has. */
const maxCompared = 200;

/** Describes an argument that names a record: `id, code or name of the run template`. */
export function recordIdHelp(resource: AnyResource): string {
  return `${listed(['id', ...namingFieldsOf(resource)])} of the ${nounsOf(resource).noun}`;
}

/** Joins words: `id, code or name`. */
function listed(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/**
 * Returns a parser of such an argument: a number must be an id, and a record without a name is named by its id alone.
 * @throws InvalidArgumentError as `readIdArgument`.
 */
export function recordArgument(resource: AnyResource): (given: string) => string {
  const isNamed = namingFieldsOf(resource).length > 0;
  return (given) => (isNamed && !/^[-+]?[\d.]+$/.test(given) ? given : String(readIdArgument(given)));
}

/**
 * Returns the id of the record that a user names by its id, code, UUID, login or name.
 * @param given as `recordArgument` reads it.
 * @throws HorariumError `not_found`, or `bad_request` listing the records if several have that name.
 */
export async function recordIdOf(
  { core, actor }: CommandSession,
  resource: AnyResource,
  given: string,
): Promise<number> {
  if (/^\d+$/.test(given)) return Number(given);
  const { many, noun } = nounsOf(resource);
  const fields = namingFieldsOf(resource);
  for (const field of fields) {
    const where = [[field, '=', given]] as const;
    const { rows } = await core.records<AnyRow>(resource.name).list(actor, { where, limit: maxListed });
    const [first, ...others] = rows;
    if (first && others.length === 0) return first.id;
    if (first)
      throw badRequest(
        `${rows.length === maxListed ? 'Many' : rows.length} ${many} have the ${field} “${given}”: give the id, one of ${rows.map(({ id }) => id).join(', ')}.`,
      );
  }
  const { rows } = await core.records<AnyRow>(resource.name).list(actor, { limit: maxCompared });
  const known = rows.flatMap((row) => fields.flatMap((field) => (typeof row[field] === 'string' ? row[field] : [])));
  const hint = didYouMean(given, known as string[]);
  throw new HorariumError('not_found', `There is no ${noun} with the ${listed(fields)} “${given}”.${hint}`);
}

/**
 * Puts ids in place of the names in fields that refer to other records: `--company-id acme`, `{"app_id": "Backup"}`.
 * @param keyOf returns the key of a field: the field's name, or that of its option.
 * @throws HorariumError as `recordIdOf`.
 */
export async function referencedIds(
  session: CommandSession,
  { columns }: AnyResource,
  given: Readonly<Record<string, unknown>>,
  keyOf: (field: string) => string,
): Promise<Record<string, unknown>> {
  const resolved: Record<string, unknown> = { ...given };
  for (const { name, references } of columns as readonly FieldDescription[]) {
    const value = given[keyOf(name)];
    if (references === undefined || value === undefined) continue;
    const { resource } = session.core.records(references);
    const isNamed = namingFieldsOf(resource).length > 0;
    const idOf = async (each: unknown) =>
      isNamed && typeof each === 'string' && !/^(?:[-+\d.,]*|null)$/.test(each)
        ? recordIdOf(session, resource, each)
        : each;
    resolved[keyOf(name)] = Array.isArray(value) ? await Promise.all(value.map(idOf)) : await idOf(value);
  }
  return resolved;
}
