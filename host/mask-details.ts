import { mask } from '@horarium/core';

/** The names of fields whose values may be secret. */
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
/** How many levels of a line are searched. */
const maxLevels = 3;

/** Masks what may be secret in the details of a line of log; returns them as they are where nothing is. */
export function maskDetails<T extends object>(details: T): T {
  // Searched before anything is copied: every request is logged, and nearly none has anything to mask.
  return holdsSecret(details, maxLevels) ? (withoutSecrets(details, maxLevels) as T) : details;
}

function holdsSecret(value: object, left: number): boolean {
  for (const name in value) {
    if (secrets.has(name)) return true;
    const inner = (value as Record<string, unknown>)[name];
    if (isSearched(inner, left) && holdsSecret(inner, left - 1)) return true;
  }
  return false;
}

function withoutSecrets(value: object, left: number): object {
  const inside = (inner: unknown) => (isSearched(inner, left) ? withoutSecrets(inner, left - 1) : inner);
  if (Array.isArray(value)) return value.map(inside);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, secrets.has(name) ? mask : inside(inner)]),
  );
}

/** Leaves errors out: they are serialized, and masked then, by themselves. */
function isSearched(value: unknown, left: number): value is object {
  return left > 1 && typeof value === 'object' && value !== null && !(value instanceof Error);
}
