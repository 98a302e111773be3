import { combined, type Isolation, isIsolated, isolationOf, noIsolation } from './isolation.ts';
import { isLimited, type Limits, limitsOf, lower, noLimits } from './limits.ts';

/** What a job is kept from, and how much it may use. */
export interface Restrictions {
  readonly isolation: Isolation;
  readonly limits: Limits;
}

export const noRestrictions: Restrictions = { isolation: noIsolation, limits: noLimits };

/** The restrictions that options name, those of the plugin or those of a template. */
export function restrictionsOf(
  options: Parameters<typeof isolationOf>[0] & Parameters<typeof limitsOf>[0],
): Restrictions {
  return { isolation: isolationOf(options), limits: limitsOf(options) };
}

/** Both together: neither can lift what the other says. */
export function strictest(one: Restrictions, other: Restrictions): Restrictions {
  return { isolation: combined(one.isolation, other.isolation), limits: lower(one.limits, other.limits) };
}

export function isRestricted({ isolation, limits }: Restrictions): boolean {
  return isIsolated(isolation) || isLimited(limits);
}
