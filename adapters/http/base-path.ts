/** The path of this version of the API; the paths of routes are relative to it. */
export const basePath = '/api/v1';
