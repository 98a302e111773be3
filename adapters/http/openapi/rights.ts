import { type AnyResource, permissionRows, type Route, type Verb } from '@horarium/core';

const everywhere = 'the role admin';

/** Who may call the route, in sentences. */
export function rightsWords({ authentication, shape: { right } }: Route, resources: readonly AnyResource[]): string {
  if (authentication === 'none') return 'Anybody may do it, without signing in first.';
  if (!right) return 'Everybody who can sign in may do it.';
  const resource = resources.find(({ name }) => name === right.resource);
  if (!resource) throw new Error(`A route needs a permission on ${right.resource}, which is no resource.`);
  const all = right.verbs.map((verb) => [verb, leastRole(resource, verb)] as const);
  const [[first, least] = ['', '']] = all;
  const { own } = resource.permissions;
  if (first === 'read') return [`To see it takes ${least}.`, own?.description].filter(Boolean).join(' ');
  if (all.every(([, role]) => role === least)) return `It takes ${least}.`;
  return all.map(([verb, role]) => `To ${verb} takes ${role}.`).join(' ');
}

function leastRole(resource: AnyResource, verb: Verb): string {
  const [row] = permissionRows([resource]);
  const role = row?.[verb] ?? '';
  if (role === 'everybody') return 'to be signed in';
  if (role === 'admin everywhere') return everywhere;
  const orHigher = role === 'admin' ? '' : ' or a higher one';
  if (resource.permissions.decidedBy === 'role') return `the role ${role}${orHigher}`;
  return `the membership role ${role}${orHigher} in the company, or ${everywhere}`;
}
