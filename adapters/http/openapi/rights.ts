import { permissionRows, type Route, type Verb } from '@horarium/core';

const matrix = new Map(permissionRows().map((row) => [row.resource, row]));
const everywhere = 'the role admin';

/** What is to be seen of some records without the right to see all of them. */
const own: Readonly<Record<string, string>> = {
  User: 'Their own record is seen by everybody.',
  UserRoles: 'Their own roles are seen by everybody.',
  AuditLog: 'Others see what belongs to their companies and what they did themselves.',
};

/** Who may do it, in sentences. */
export function rightsWords({ authentication, shape: { right } }: Route): string {
  if (authentication === 'none') return 'Anybody may do it, without signing in first.';
  if (!right) return 'Everybody who can sign in may do it.';
  const { resource, verbs } = right;
  const all = verbs.map((verb) => [verb, leastRole(resource, verb)] as const);
  const [[first, least] = ['', '']] = all;
  if (first === 'read') return [`To see it takes ${least}.`, own[resource]].filter(Boolean).join(' ');
  if (all.every(([, role]) => role === least)) return `It takes ${least}.`;
  return all.map(([verb, role]) => `To ${verb} takes ${role}.`).join(' ');
}

function leastRole(resource: string, verb: Verb): string {
  const row = matrix.get(resource);
  if (!row) throw new Error(`The matrix of permissions knows no ${resource}.`);
  const role = row[verb];
  if (role === 'admin everywhere') return everywhere;
  const orHigher = role === 'admin' ? '' : ' or a higher one';
  if (row.decided_by === 'role') return `the role ${role}${orHigher}`;
  return `the membership role ${role}${orHigher} in the company, or ${everywhere}`;
}
