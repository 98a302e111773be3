import { mask } from '@horarium/core';

/** What might be secret, by its name. */
const secrets: ReadonlySet<string> = new Set([
  'password',
  'secret',
  'token',
  'access_token',
  'authorization',
  'cookie',
  'key',
  'values',
  'database_url',
]);
/** How many levels of a line are looked through. */
const levels = 3;

/** What a line of log tells, with what might be secret masked; itself where there is nothing of the kind. */
export function maskDetails<T extends object>(details: T): T {
  // Looked at first: it is done for every request, and nearly always there is nothing to mask and so to copy.
  return holdsSecret(details, levels) ? (withoutSecrets(details, levels) as T) : details;
}

function holdsSecret(value: object, left: number): boolean {
  for (const name in value) {
    if (secrets.has(name)) return true;
    const inner = (value as Record<string, unknown>)[name];
    if (isLookedInto(inner, left) && holdsSecret(inner, left - 1)) return true;
  }
  return false;
}

function withoutSecrets(value: object, left: number): object {
  const inside = (inner: unknown) => (isLookedInto(inner, left) ? withoutSecrets(inner, left - 1) : inner);
  if (Array.isArray(value)) return value.map(inside);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, secrets.has(name) ? mask : inside(inner)]),
  );
}

/** Errors are not: they are written out, and masked then, by themselves. */
function isLookedInto(value: unknown, left: number): value is object {
  return left > 1 && typeof value === 'object' && value !== null && !(value instanceof Error);
}
