/** The path of this version of the API; the paths of routes are relative to it. */
export const basePath = '/api/v1';

/**
 * The path under which the pages of the service reach the same routes by the cookie of a session. Nothing is there unless a
 * plugin asks for sessions.
 */
export const sessionBasePath = '/console/api';
/** The path of the session itself. */
export const sessionPath = `${sessionBasePath}/session`;

/** Whether a path is that of the API or beneath it. */
export function isUnderBasePath(path: string): boolean {
  return isAtOrBeneath(path, basePath);
}

/** Whether a path is one that the API may have, also as pages reach it: no file of a plugin is there. */
export function isApiPath(path: string): boolean {
  return isUnderBasePath(path) || isAtOrBeneath(path, sessionBasePath);
}

function isAtOrBeneath(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}
