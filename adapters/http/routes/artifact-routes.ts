import { Job, type Route } from '@horarium/core';
import { isUnchanged } from '../request/preconditions.ts';

/** Files that jobs left behind. A browser saves them: none is ever shown as a page of this site. */
export const artifactRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/artifact/{artifactId}',
    summary: 'Download a file that a job left behind',
    authentication: 'required',
    shape: {
      operation: 'downloadArtifact',
      tag: Job.names.plural,
      right: { resource: 'Artifact', verbs: ['read'] },
      responses: {
        200: {
          description: 'The file, as an attachment, in the content type that it has.',
          otherContent: { '*/*': { schema: { type: 'string' }, example: 'CREATE TABLE orders (…);' } },
          headers: ['ETag', 'Content-Disposition'],
        },
        304: { description: 'It is still as If-None-Match says.', headers: ['ETag'] },
      },
      preconditions: ['If-None-Match'],
    },
    handle: async ({ core, actor, request, id }) => {
      const { row, content } = await core.reports.artifact(actor, id('artifactId'));
      const tag = `"${row.sha256}"`;
      if (isUnchanged(request, tag)) return { status: 304, headers: { ETag: tag } };
      const headers = { ETag: tag, 'Content-Disposition': attachment(row.filename) };
      return { headers, bytes: { mime: mimeOf(row.content_type), content } };
    },
  },
];

/** What a program guessed the type to be, where it has the form of one. */
function mimeOf(guessed: string): string {
  return /^[\w.+-]{1,80}\/[\w.+-]{1,80}(?:; ?charset=[\w-]{1,40})?$/.test(guessed)
    ? guessed
    : 'application/octet-stream';
}

/** RFC 6266: a name that every client understands, and the true one for those that know how. */
function attachment(path: string): string {
  const name = path.split('/').at(-1) ?? '';
  const plain = name.replace(/[^A-Za-z0-9._ -]/g, '_');
  const whole = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
