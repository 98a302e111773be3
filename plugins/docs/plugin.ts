import { readFile } from 'node:fs/promises';
import {
  type ApiDescription,
  definePlugin,
  HorariumError,
  type OpenApiDocument,
  type Reply,
  type Route,
  type RouteContext,
  type RouteShape,
} from '@horarium/core/plugin';
import { type HandbookFile, handbookFiles } from './pages/files.ts';
import type { HandbookPages } from './pages/render-pages.ts';

/** The page of each document: rendering takes long, and neither the document nor the address ever changes. */
const apiPages = new WeakMap<OpenApiDocument, Uint8Array>();
/** The pages of the handbook, by the path where a service has them. */
const handbooks = new Map<string, HandbookPages>();

const mime = 'text/html; charset=utf-8';
/** The most characters of a search. */
const maxWords = 200;
const pageParameter = (description: string, example: string) => ({
  description,
  schema: { type: 'string', pattern: '^[a-z-]{1,64}$' },
  example,
});

/** Where people read about the service: without authentication, at the root, with nothing from elsewhere and no data. */
export const docsRoutes: readonly Route[] = [
  {
    ...docsRoute('/docs', 'readDocs', 'Show the contents of the handbook', {}, async (context) => {
      const pages = await handbookOf(context);
      return handbookReply(await pages.page());
    }),
    rel: 'service-doc',
  },
  docsRoute('/docs/api', 'readApiDocs', 'Describe this API to people', {}, ({ api }) => replyWithApi(api)),
  docsRoute(
    '/docs/search',
    'searchDocs',
    'Search the handbook',
    {
      parameters: {
        q: { description: 'Words to find.', schema: { type: 'string', maxLength: maxWords }, example: 'time zone' },
      },
    },
    async (context) => {
      const words = context.query.get('q') ?? '';
      if (words.length > maxWords)
        throw new HorariumError(
          'bad_request',
          `q has ${words.length} characters: at most ${maxWords} are searched for.`,
        );
      const pages = await handbookOf(context);
      return handbookReply(await pages.results(words));
    },
  ),
  docsRoute(
    '/docs/{section}/{topic}',
    'readDocsPage',
    'Show a page of the handbook',
    {
      pathParameters: {
        section: pageParameter('The section of the handbook that the page is in.', 'operate'),
        topic: pageParameter('The name of the page.', 'backups'),
      },
      errors: [404],
    },
    async (context) => {
      const pages = await handbookOf(context);
      const { section, topic } = context.request.params;
      return handbookReply(await pages.page(`${section}/${topic}`));
    },
  ),
  ...handbookFiles.map(fileRoute),
];

function docsRoute(
  path: string,
  operation: string,
  summary: string,
  shape: Pick<RouteShape, 'parameters' | 'pathParameters' | 'errors'> & Partial<Pick<RouteShape, 'responses'>>,
  handle: Route['handle'],
): Route {
  return {
    method: 'GET',
    path,
    summary,
    authentication: 'none',
    atRoot: true,
    shape: {
      operation,
      tag: 'service',
      responses: {
        200: {
          description: 'A page.',
          otherContent: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>…' } },
        },
      },
      ...shape,
    },
    handle,
  };
}

function fileRoute({ name, path, mime: type, summary, operation }: HandbookFile): Route {
  const [mediaType] = type.split(';') as [string];
  const otherContent = { [mediaType]: { schema: { type: 'object' }, example: {} } };
  const responses = { 200: { description: 'The file.', otherContent } };
  return docsRoute(`/docs/${name}`, operation, summary, { responses }, async () => {
    const { handbookFolder } = await import('./pages/handbook.ts');
    return { bytes: { mime: type, content: await readFile(new URL(path, handbookFolder)) } };
  });
}

async function handbookOf(context: RouteContext) {
  const { HandbookPages } = await import('./pages/render-pages.ts');
  // Relative, or with the public address.
  const root = new URL(context.urlOf('/'), 'http://localhost').pathname.replace(/\/api\/v1\/$/, '/docs');
  const pages = handbooks.get(root) ?? (await HandbookPages.open(root));
  handbooks.set(root, pages);
  return pages;
}

async function handbookReply(page: string | null): Promise<Reply> {
  if (page === null) throw new HorariumError('not_found', 'The handbook has no such page; /docs lists its pages.');
  const { handbookStyle } = await import('./pages/style.ts');
  return pageReply(new TextEncoder().encode(page), handbookStyle.policy);
}

function pageReply(content: Uint8Array, policy: string): Reply {
  return { headers: { 'Content-Security-Policy': policy }, bytes: { mime, content } };
}

async function replyWithApi({ openApi, serviceUrl }: ApiDescription): Promise<Reply> {
  const [{ apiPage }, { apiStyle }] = await Promise.all([import('./api/api-page.ts'), import('./api/style.ts')]);
  const content = apiPages.get(openApi) ?? new TextEncoder().encode(apiPage(openApi, serviceUrl));
  apiPages.set(openApi, content);
  return pageReply(content, apiStyle.policy);
}

/** Serves the handbook, and the documentation of the API, as pages. */
export default definePlugin({ name: 'docs', api: 1, routes: () => docsRoutes });
