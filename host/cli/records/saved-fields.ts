import { type AnyResource, badRequest } from '@horarium/core';
import type { CommandSession } from '../command-session.ts';
import { type FieldTexts, givenFields } from '../field-options.ts';
import { companyOf, recordIdOf, referencedIds } from '../record-id.ts';

/** What a command line says about a record that is to be saved. */
interface SaveInput {
  /** What names the record: its id, code or name. @default that in the file, else a new record */
  readonly named: string | undefined;
  /** The fields of the file of `--json`. Those of the command line come before them. */
  readonly fromFile: Readonly<Record<string, unknown>>;
  readonly fromOptions: FieldTexts;
}

/**
 * Returns which record is saved, and its fields with ids in place of names. A name means a record of the same company or one that
 * all companies share, because a record may refer to no other.
 * @throws HorariumError as `recordIdOf` and `givenFields`.
 */
export async function savedFields(
  session: CommandSession,
  resource: AnyResource,
  { named, fromFile: { id: numbered, ...fromFile }, fromOptions }: SaveInput,
): Promise<{ readonly id: number | undefined; readonly fields: Record<string, unknown> }> {
  const values = { ...fromFile, ...fromOptions.texts, ...fromOptions.lists };
  const company = await givenCompany(session, resource, values);
  const identified = named ?? textOfId(numbered);
  const id = identified === undefined ? undefined : await recordIdOf(session, resource, identified, { company });
  const owner = company ?? (id === undefined ? null : await companyOf(session, resource, id));
  const ids = await referencedIds(session, resource, values, (name) => name, owner);
  const idsOf = (names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, [ids[name]].flat()]));
  const texts = Object.entries(idsOf(fromOptions.texts)).map(([name, list]) => [name, list.map(String)] as const);
  return {
    id,
    fields: { ...ids, ...givenFields(resource, { texts: Object.fromEntries(texts), lists: idsOf(fromOptions.lists) }) },
  };
}

/** Returns what a file says under `id`, which may be a name too. @throws HorariumError `bad_request` for what is neither. */
function textOfId(id: unknown): string | undefined {
  if (id === undefined || typeof id === 'string') return id;
  if (typeof id === 'number' && Number.isSafeInteger(id) && id > 0) return String(id);
  throw badRequest('id must be a positive whole number, or a code or name.');
}

/** Returns the id of the company that the fields name; undefined if they name none. */
async function givenCompany(
  session: CommandSession,
  { columns, company }: AnyResource,
  values: Readonly<Record<string, unknown>>,
): Promise<number | undefined> {
  const owning = columns.filter(({ name }) => name === company);
  const ids = await referencedIds(session, { columns: owning, company }, values, (name) => name);
  const [id] = [ids[company ?? '']].flat();
  return typeof id === 'number' ? id : undefined;
}
