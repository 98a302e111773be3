import { badRequest, type Format, type Reply, type ResponseLinks, type ResponseShape } from '@horarium/core';
import { pageHeaders } from '../request/paging.ts';
import type { HttpResponse, ResponseHeaders } from '../request/request.ts';
import type { Problem } from './problems.ts';

const unnamed: ResponseShape = { kind: 'item', name: 'answer', fields: null };
const problemShape: ResponseShape = {
  kind: 'problem',
  name: 'problem',
  fields: null,
  embedded: { errors: { name: 'error', fields: null } },
};

/**
 * What a route replied, written in a format.
 * @param onFailure told of what goes wrong when the answer has begun already and cannot become an error any more.
 * @throws HttpProblem `bad_request` when all of a list is asked for in a format that cannot stream.
 */
export async function writeReply(
  reply: Reply,
  format: Format,
  links: ResponseLinks,
  onFailure: (error: unknown) => void,
): Promise<HttpResponse> {
  const { status = 200, value, stream, bytes } = reply;
  const headers = { ...reply.headers, ...(reply.page && pageHeaders(reply.page.total, links.list?.next ?? null)) };
  if (stream) return { status, headers: { ...headers, 'Content-Type': stream.mime }, body: stream.pieces };
  if (bytes) return { status, headers: { ...headers, 'Content-Type': bytes.mime }, body: bytes.content };
  const context = { ...(reply.shape ?? unnamed), links };
  if (reply.pages) {
    if (!format.writeList)
      throw badRequest(`limit=all is not possible in .${format.suffix}: it would have to be held in memory.`);
    const pages = await begun(reply.pages, onFailure);
    const extra = format.headers?.(undefined, context);
    const typed = { ...headers, ...extra, 'Content-Type': format.mime };
    return { status, headers: typed, body: format.writeList(pages, context) };
  }
  if (value === undefined) return { status: reply.status ?? 204, headers, body: null };
  const body = reply.cacheable ? writtenOnce(value as object, format, context) : format.write(value, context);
  return { status, headers: { ...headers, ...format.headers?.(value, context), 'Content-Type': format.mime }, body };
}

const written = new WeakMap<object, Map<Format, ReturnType<Format['write']>>>();

function writtenOnce(value: object, format: Format, context: Parameters<Format['write']>[1]) {
  const known = written.get(value) ?? new Map<Format, ReturnType<Format['write']>>();
  written.set(value, known);
  const body = known.get(format) ?? format.write(value, context);
  known.set(format, body);
  return body;
}

/** An error, written in a format. */
export function writeProblem(
  problem: Problem,
  headers: ResponseHeaders,
  format: Format,
  links: ResponseLinks | null,
): HttpResponse {
  const context = { ...problemShape, links };
  const type = { 'Content-Type': format.problemMime ?? format.mime };
  const body = format.write(problem, context);
  return { status: problem.status, headers: { ...headers, ...format.headers?.(problem, context), ...type }, body };
}

/** The first page is read before the answer begins, so that what is wrong with a request is still answered as such. */
async function begun<T>(pages: AsyncIterable<T>, onFailure: (error: unknown) => void): Promise<AsyncIterable<T>> {
  const source = pages[Symbol.asyncIterator]();
  const first = await source.next();
  async function* all() {
    try {
      for (let page = first; !page.done; page = await source.next()) yield page.value;
    } catch (error) {
      onFailure(error);
      throw error;
    } finally {
      await source.return?.();
    }
  }
  return all();
}
