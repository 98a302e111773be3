import { session } from './session.ts';

const companyRoles = ['viewer', 'operator', 'manager', 'admin'];

/**
 * Whether the user has that role in the company, or a higher one. This decides what the pages offer; the service decides what
 * is done.
 */
export function mayIn(company: number | null, role: 'viewer' | 'operator' | 'manager' | 'admin'): boolean {
  if (isAdmin()) return true;
  const own = session.value?.memberships.find(({ company_id }) => company_id === company)?.role;
  return own !== undefined && companyRoles.indexOf(own) >= companyRoles.indexOf(role);
}

/** Whether the user may do everything in every company. */
export function isAdmin(): boolean {
  return session.value?.roles.some((role) => role === 'admin' || role === 'super_admin') ?? false;
}
