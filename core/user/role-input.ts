import type { FieldError } from '../errors.ts';
import { isPlainObject } from '../field/value-path.ts';
import { readField } from '../records/input.ts';
import { type Role, roles } from '../resource/actor.ts';
import { UserRoles } from './user-roles.ts';

/** A role that somebody is to have; without an end given, one that is held keeps its own. */
export interface WantedRole {
  readonly role: Role;
  readonly expires_at: string | null | undefined;
}

/** The number of each role, the same for everybody: its place from the highest to the lowest. */
export const roleIds = Object.fromEntries(roles.map((role, at) => [role, at + 1])) as Readonly<Record<Role, number>>;

/** The roles as people call them. */
export const roleNames: Readonly<Record<Role, string>> = {
  super_admin: 'Super administrator',
  admin: 'Administrator',
  editor: 'Editor',
  user: 'User',
  viewer: 'Viewer',
};

/** What roles show of themselves and nobody sets: they may be sent back as they were shown. */
const shownOnly: ReadonlySet<string> = new Set(['display_name', 'is_active', 'assigned_at']);

/**
 * Reads `{"roles": […]}`: each a name, an id, or `{"name" or "id", "expires_at"}`. What is wrong is added to `errors`.
 */
export function readRoles(given: unknown, errors: FieldError[]): WantedRole[] {
  const refuse = (field: string, message: string) => errors.push({ field, message });
  const { roles: list, ...more } = isPlainObject(given) ? given : {};
  for (const name of Object.keys(more)) refuse(name, `${name} is not a field of UserRoles`);
  if (!Array.isArray(list)) {
    refuse('roles', 'roles must be a list of names or ids of roles');
    return [];
  }
  const wanted = list.flatMap((each, at) => readRole(each, `roles[${at}]`, errors));
  // Named twice, the last one counts.
  return [...new Map(wanted.map((each) => [each.role, each])).values()];
}

function readRole(given: unknown, field: string, errors: FieldError[]): WantedRole[] {
  const { name, id, expires_at, ...more } = isPlainObject(given) ? given : { name: given };
  for (const key of Object.keys(more).filter((each) => !shownOnly.has(each)))
    errors.push({ field: `${field}.${key}`, message: `${key} is not known here` });
  const said = name ?? id;
  const role = roles.find((each) => each === said || roleIds[each] === asId(said));
  if (!role) {
    const known = roles.join(', ');
    const words = typeof said === 'string' || typeof said === 'number' ? `there is no role ${said}` : 'it is no role';
    errors.push({ field, message: `${words}; there are ${known}` });
    return [];
  }
  if (expires_at !== undefined && expires_at !== null)
    readField(`${field}.expires_at`, UserRoles.fields['expires_at'] as never, asText(expires_at), errors);
  return [{ role, expires_at: expires_at as string | null | undefined }];
}

/** A time is written as RFC 3339: a number is none. */
function asText(time: unknown): unknown {
  return typeof time === 'number' ? String(time) : time;
}

/** Forms send numbers as text. */
function asId(said: unknown): unknown {
  return typeof said === 'string' && /^[1-9]$/.test(said) ? Number(said) : said;
}
