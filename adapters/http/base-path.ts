/** The path of this version of the API; the paths of routes are relative to it. */
export const basePath = '/api/v1';

/** Whether a path is that of the API or beneath it. */
export function isUnderBasePath(path: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}
