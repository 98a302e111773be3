import { Job, type Route } from '@horarium/core';
import { create as contentDisposition } from 'content-disposition';
import { isUnchanged } from '../request/preconditions.ts';

/** Serves the files that jobs left. Browsers save them: none is ever shown as a page of this site. */
export const artifactRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/artifact/{artifactId}',
    summary: 'Download a file that a job left',
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
    handle: async (context) => {
      const { row, content } = await context.core.artifact(context.actor, context.id('artifactId'));
      const tag = `"${row.sha256}"`;
      if (isUnchanged(context.request, tag)) return { status: 304, headers: { ETag: tag } };
      const headers = { ETag: tag, 'Content-Disposition': attachment(row.filename) };
      return { headers, file: { mime: mimeOf(row.content_type), size: row.size, content } };
    },
  },
];

/** The content type that the job's worker guessed, where it is well-formed. */
function mimeOf(guessed: string): string {
  return /^[\w.+-]{1,80}\/[\w.+-]{1,80}(?:; ?charset=[\w-]{1,40})?$/.test(guessed)
    ? guessed
    : 'application/octet-stream';
}

/** Writes the header that makes browsers save the file, under its name without its folders. */
function attachment(path: string): string {
  return contentDisposition(path.toWellFormed().split('/').at(-1));
}
