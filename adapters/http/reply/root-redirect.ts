import { basePath } from '../routes/system-routes.ts';
import type { Formats } from './formats.ts';

const channels: ReadonlySet<string> = new Set(['/', basePath, `${basePath}/`]);

/**
 * Where those are led who only know the address of the service: to the list of all endpoints, as a page where there
 * are pages. @returns a path under the base path; null for every other request.
 */
export function rootRedirect({ method, path }: { method: string; path: string }, formats: Formats): string | null {
  if (!channels.has(path) || (method !== 'GET' && method !== 'HEAD')) return null;
  return `/index.${(formats.known('html') ?? formats.usual).suffix}`;
}

/** What is said of a path that leads nowhere. */
export function nothingAt(path: string): string {
  const hint = path.startsWith(`${basePath}/`) ? '' : `; the API is under ${basePath}, and described at /docs`;
  return `There is nothing at ${path}${hint}.`;
}
