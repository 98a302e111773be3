import {
  type AnyResource,
  type AnyRow,
  badRequest,
  Company,
  didYouMean,
  HorariumError,
  namingFieldsOf,
  nounsOf,
  type Where,
} from '@horarium/core';
import { readIdArgument } from './arguments.ts';
import type { CommandSession } from './command-session.ts';
import { referenceKindOf } from './records/reference-kind.ts';

/** How many records of one name a message lists. */
const maxListed = 10;
/** How many of the newest records are compared with a name that no record has. */
const maxCompared = 200;

/** Describes an argument that names a record: `id, code or name of the run template`. */
export function recordIdHelp(resource: AnyResource): string {
  return `${identifierNames(resource)} of the ${nounsOf(resource).noun}`;
}

/** The fields that name a record: `id, code or name`. */
export function identifierNames(resource: AnyResource): string {
  return listed(['id', ...namingFieldsOf(resource)]);
}

/** Joins words: `id, code or name`. */
function listed(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/**
 * Returns a parser of such an argument: a number must be an id, and a record without a name is named by its id alone.
 * @throws InvalidArgumentError as `readIdArgument`.
 */
export function recordArgument(resource: AnyResource): (text: string) => string {
  const isNamed = namingFieldsOf(resource).length > 0;
  return (text) => (isNamed && !/^[-+]?0$/.test(text) ? text : String(readIdArgument(text)));
}

/** Which of the records that have a name are meant. */
interface Narrowing {
  /**
   * The id of the company that the record is of, unless all companies share it. Null = that of no company, if several have the
   * name; undefined = it is not known.
   */
  readonly company?: number | null | undefined;
  /** Further conditions on the record. @default none */
  readonly where?: Where;
}

/**
 * Returns the id of the record that a user names by its id, code, UUID, login or name, or by those of its company and its own:
 * `acme/nightly`.
 * @param text as `recordArgument` reads it.
 * @throws HorariumError `not_found`, or `bad_request` listing the records if several have that name.
 */
export async function recordIdOf(
  session: CommandSession,
  resource: AnyResource,
  text: string,
  narrowing: Narrowing = {},
): Promise<number> {
  if (isId(text)) return numberedRecord(session, resource, text);
  const named = await namedRecord(session, resource, text, narrowing);
  const owned = await recordOfCompany(session, resource, text, narrowing);
  // A user with the right to name a record must not divert commands from that of another company.
  if (named !== undefined && owned !== undefined && named !== owned)
    throw badRequest(
      `${text} names ${nounsOf(resource).noun} ${owned} of that company, and is the name of ${named}: use an id.`,
    );
  const id = owned ?? named;
  if (id !== undefined) return id;
  throw await notFound(session, resource, text, narrowing);
}

async function notFound(
  session: CommandSession,
  resource: AnyResource,
  text: string,
  { company }: Narrowing,
): Promise<HorariumError> {
  const fields = namingFieldsOf(resource);
  const owner = typeof company === 'number' && isOfCompanies(resource) ? company : undefined;
  const owners = owner === undefined ? [] : [{ any: ownersOf(resource, owner) }];
  const rows = await find(session, resource, owners, maxCompared);
  const known = rows.flatMap((row) => fields.flatMap((field) => (typeof row[field] === 'string' ? row[field] : [])));
  const { noun } = nounsOf(resource);
  const remedy = resource.operations.includes('save') ? ` horarium ${resource.names.singular}:save makes one.` : '';
  const hint = didYouMean(text, known as string[]) || remedy;
  const place = owner === undefined ? '' : await placeOf(session, resource, owner);
  return new HorariumError('not_found', `There is no ${noun} with the ${listed(fields)} “${text}”${place}.${hint}`);
}

/** Says of whose records none has a name: ` in company acme, nor a shared one`. */
async function placeOf(session: CommandSession, resource: AnyResource, companyId: number): Promise<string> {
  const [company] = await find(session, Company, [['id', '=', companyId]], 1);
  const isShareable = resource.columns.some(({ name, required }) => name === resource.company && !required);
  return ` in company ${company?.['code'] ?? companyId}${isShareable ? ', nor a shared one' : ''}`;
}

/** Whether a text is an id, and no code of digits such as 007. */
function isId(text: string): boolean {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));
}

async function find({ core, actor }: CommandSession, resource: AnyResource, where: Where, limit: number) {
  return (await core.records<AnyRow>(resource.name).list(actor, { where, limit })).rows;
}

/** Returns a number as an id, or the record whose only name is that number. @throws HorariumError `bad_request` if both exist. */
async function numberedRecord(session: CommandSession, resource: AnyResource, text: string): Promise<number> {
  const isUnique = (field: string) => resource.unique.some((group) => group.length === 1 && group[0] === field);
  const [id, field] = [Number(text), namingFieldsOf(resource).find(isUnique)];
  const [named] = field === undefined ? [] : await find(session, resource, [[field, '=', text]], 1);
  if (!named || named.id === id) return id;
  const [numbered] = await find(session, resource, [['id', '=', id]], 1);
  if (!numbered) return named.id;
  const { noun } = nounsOf(resource);
  throw badRequest(
    `${text} is the id of one ${noun} and the ${field} of another, ${named.id}: use the ${field} of the former, or the id of the latter.`,
  );
}

/** Returns the id of the one record with that name; undefined if there is none. @throws HorariumError `bad_request` for several. */
async function namedRecord(
  session: CommandSession,
  resource: AnyResource,
  name: string,
  { company, where = [] }: Narrowing,
): Promise<number | undefined> {
  const owners = company === undefined || !isOfCompanies(resource) ? [[]] : ownersOf(resource, company);
  for (const owner of owners)
    for (const field of namingFieldsOf(resource)) {
      const rows = await find(session, resource, [[field, '=', name], ...owner, ...where], maxListed);
      if (rows.length > 1) throw await ambiguity(session, resource, name, rows);
      if (rows[0]) return rows[0].id;
    }
  return undefined;
}

/** Whose records a name may mean: those of the company come first, then those that all companies share. */
function ownersOf({ company: field }: AnyResource, company: number | null): readonly Where[] {
  const of = (id: number | null): Where => [[field as string, '=', id]];
  return company === null ? [of(null), []] : [of(company), of(null)];
}

/** Returns the id of the record that `acme/nightly` names; undefined if that names none. */
async function recordOfCompany(
  session: CommandSession,
  resource: AnyResource,
  text: string,
  { company: owner }: Narrowing,
): Promise<number | undefined> {
  const slash = text.indexOf('/');
  if (slash < 1 || !isOfCompanies(resource)) return undefined;
  const [company] = await find(session, Company, [['code', '=', text.slice(0, slash)]], 1);
  if (!company || (typeof owner === 'number' && owner !== company.id)) return undefined;
  const name = text.slice(slash + 1);
  for (const field of namingFieldsOf(resource)) {
    const where = [[field, '=', name] as const, [resource.company as string, '=', company.id] as const];
    const rows = await find(session, resource, where, maxListed);
    if (rows.length > 1) throw await ambiguity(session, resource, text, rows);
    if (rows[0]) return rows[0].id;
  }
  return undefined;
}

function isOfCompanies({ company }: AnyResource): boolean {
  return company !== null && company !== 'id';
}

/** Lists the records that a name may mean, with their companies. */
async function ambiguity(
  session: CommandSession,
  resource: AnyResource,
  name: string,
  rows: readonly AnyRow[],
): Promise<HorariumError> {
  const companyIds = rows.map((row) => (isOfCompanies(resource) ? (row[resource.company as string] as number) : null));
  const ids = [...new Set(companyIds.filter((id) => id !== null))];
  const companies = ids.length === 0 ? [] : await find(session, Company, [['id', 'in', ids]], maxListed);
  const codes = new Map(companies.map((company) => [company.id, company['code'] as string]));
  const candidates = rows.map(({ id }, at) => {
    const code = codes.get(companyIds[at] ?? 0);
    return code === undefined ? String(id) : `${id} (${code})`;
  });
  const [first] = codes.values();
  const further = codes.size > 1 && !name.includes('/') ? `, or name the company as in ${first}/${name}` : '';
  const count = rows.length === maxListed ? 'many' : rows.length;
  return badRequest(
    `There are ${count} ${nounsOf(resource).many} named “${name}”: ${candidates.join(', ')}. Use an id${further}.`,
  );
}

/** What `referencedIds` reads of a resource, or of the options of a command. */
type ReferringFields = Pick<AnyResource, 'columns' | 'company'> & Partial<Pick<AnyResource, 'companyFrom'>>;

/**
 * Puts ids in place of the names in fields that refer to other records: `--company-id acme`, `{"app_id": "Backup"}`. A company
 * among them narrows the others to its own and to shared ones, as does that of the record which has them.
 * @param keyOf returns the key of a field: the field's name, or that of its option.
 * @param company that of the record which has the fields, where they name no other; null = it has none.
 * @throws HorariumError as `recordIdOf`.
 */
export async function referencedIds(
  session: CommandSession,
  referring: ReferringFields,
  values: Readonly<Record<string, unknown>>,
  keyOf: (field: string) => string,
  company?: number | null,
): Promise<Record<string, unknown>> {
  const resolved: Record<string, unknown> = { ...values };
  const deciding = [referring.company, referring.companyFrom];
  const rank = (name: string) => (deciding.includes(name) ? deciding.indexOf(name) : deciding.length);
  let owner = company;
  for (const name of referring.columns.map((each) => each.name).sort((one, other) => rank(one) - rank(other))) {
    const value = values[keyOf(name)];
    const kind = value === undefined ? undefined : referenceKindOf(referring, name, (type) => values[keyOf(type)]);
    const resource = session.core.resources.find((each) => each.name === kind);
    if (resource === undefined || namingFieldsOf(resource).length === 0) continue;
    const idOf = async (each: unknown) =>
      typeof each === 'string' && isNamed(each) ? recordIdOf(session, resource, each, { company: owner }) : each;
    const ids = Array.isArray(value) ? await Promise.all(value.map(idOf)) : await idOf(value);
    resolved[keyOf(name)] = ids;
    const [id] = [ids].flat();
    if (name === referring.company) owner = typeof id === 'number' ? id : owner;
    else if (name === referring.companyFrom && typeof id === 'number') owner ??= await companyOf(session, resource, id);
  }
  return resolved;
}

/** Returns the id of the company of a record; null if it has none, or if the actor may not see it. */
export async function companyOf(session: CommandSession, resource: AnyResource, id: number): Promise<number | null> {
  const [row] = isOfCompanies(resource) ? await find(session, resource, [['id', '=', id]], 1) : [];
  return (row?.[resource.company as string] ?? null) as number | null;
}

/** Whether a text names a record, rather than being what a field takes of itself: null, nothing, or several ids. */
function isNamed(text: string): boolean {
  return text !== '' && text !== 'null' && !/^\d+(?:\s*,\s*\d+)+$/.test(text);
}
