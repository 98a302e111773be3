import {
  badRequest,
  type Format,
  type FormatContext,
  memoized,
  type Reply,
  type ResponseLinks,
  type ResponseShape,
  yieldToEventLoop,
} from '@horarium/core';
import type { Problem } from './problems.ts';
import type { HttpResponse, ResponseHeaders } from './response.ts';

const defaultShape: ResponseShape = { kind: 'item', name: 'answer', fields: null };
const problemShape: ResponseShape = {
  kind: 'problem',
  name: 'problem',
  fields: null,
  embedded: { errors: { name: 'error', fields: null } },
};

/**
 * Writes the reply of a route in a format.
 * @param onFailure gets errors of a stream that has begun, and so cannot become an error response any more.
 * @throws HorariumError `bad_request` when a whole list is asked for in a format that cannot stream.
 */
export async function writeReply(
  reply: Reply,
  format: Format,
  links: ResponseLinks,
  onFailure: (error: unknown) => void,
): Promise<HttpResponse> {
  const { status = 200, value, stream, bytes, file } = reply;
  const headers = {
    ...reply.headers,
    ...(reply.page && pageHeaders(reply.page.total, links.list?.next ?? null)),
    ...warningHeader(reply.warnings),
  };
  if (stream) return { status, headers: { ...headers, 'Content-Type': stream.mime }, body: stream.pieces };
  if (bytes) return { status, headers: { ...headers, 'Content-Type': bytes.mime }, body: bytes.content };
  if (file) {
    const fileHeaders = { ...headers, 'Content-Type': file.mime, 'Content-Length': String(file.size) };
    return { status, headers: fileHeaders, body: await withFirst(file.content, onFailure) };
  }
  const context = { ...(reply.shape ?? defaultShape), links, warnings: reply.warnings };
  if (reply.pages) {
    if (!format.writeList)
      throw badRequest(`limit=all is not possible in .${format.suffix}: it would have to be held in memory.`);
    const pages = await withFirst(reply.pages, onFailure);
    const extra = format.headers?.(undefined, context);
    const allHeaders = { ...headers, ...extra, 'Content-Type': format.mime };
    return { status, headers: allHeaders, body: format.writeList(inPieces(pages, format), context) };
  }
  if (value === undefined) return { status: reply.status ?? 204, headers, body: null };
  const body = reply.cacheable
    ? await writeOnce(value as object, format, context)
    : await writeWhole(value, format, context);
  return { status, headers: { ...headers, ...format.headers?.(value, context), 'Content-Type': format.mime }, body };
}

/** Builds the headers of one page: the number of rows on all pages, and the URL of the next one. */
function pageHeaders(total: string, next: string | null): Record<string, string> {
  return { 'X-Total-Count': total, ...(next === null ? {} : { Link: `<${next}>; rel="next"` }) };
}

const maxWarnings = 10;
const maxWarningLength = 300;

/**
 * Builds the header with the warnings of a save, as Kubernetes does: the code 299 and a quoted text for each (RFC 7234). It is
 * short enough for every client, and holds only what a header can.
 */
function warningHeader(warnings: readonly string[] = []): Readonly<Record<string, string>> {
  const different = [...new Set(warnings)];
  const more = different.length - maxWarnings;
  const shown = more > 0 ? [...different.slice(0, maxWarnings), `and ${more} more`] : different;
  return shown.length > 0 ? { Warning: shown.map((text) => `299 - "${quotable(text)}"`).join(', ') } : {};
}

function quotable(text: string): string {
  const visible = text.slice(0, maxWarningLength).replace(/[^\x20-\x7e]/g, '?');
  return visible.replace(/["\\]/g, '\\$&');
}

const bodiesOf = memoized((_value: object) => new Map<Format, Promise<string | Uint8Array>>());

/** Writes a value that is the same for every request once for each format. */
function writeOnce(value: object, format: Format, context: FormatContext): Promise<string | Uint8Array> {
  const byFormat = bodiesOf(value);
  const body = byFormat.get(format) ?? writeInPieces(value, format, context);
  byFormat.set(format, body);
  body.catch(() => byFormat.delete(format));
  return body;
}

/** Writes a large value in pieces where the format can. */
async function writeInPieces(value: object, format: Format, context: FormatContext): Promise<string | Uint8Array> {
  if (!format.writePieces) return write(value, format, context);
  const pieces: string[] = [];
  for (const piece of format.writePieces(value, context)) {
    pieces.push(piece);
    await yieldToEventLoop('bulk');
  }
  return Buffer.from(pieces.join(''));
}

/** From how many rows on a list gives way to what is shorter before it is written. */
const longList = 100;

/** Writes a value, and a long list in pieces where the format takes long. */
async function writeWhole(value: unknown, format: Format, context: FormatContext): Promise<string | Uint8Array> {
  const { rowsAtOnce = Infinity } = format;
  if (!Array.isArray(value) || value.length <= Math.min(longList, rowsAtOnce)) return write(value, format, context);
  await yieldToEventLoop('bulk');
  if (value.length <= rowsAtOnce || !format.writeList) return write(value, format, context);
  const pieces: Buffer[] = [];
  for await (const piece of format.writeList(inPieces([value], format), context))
    pieces.push(
      typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece.buffer, piece.byteOffset, piece.length),
    );
  return Buffer.concat(pieces);
}

/** Divides pages into pieces of as many rows as a format writes at once. */
async function* inPieces(
  pages: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
  { rowsAtOnce = Infinity }: Format,
): AsyncGenerator<readonly unknown[]> {
  for await (const rows of pages)
    for (let at = 0; at === 0 || at < rows.length; at += rowsAtOnce) {
      await yieldToEventLoop('bulk');
      yield rows.slice(at, at + rowsAtOnce);
    }
}

/** @throws Error where the format of a plugin returns something that cannot be sent, so that the request is answered. */
function write(value: unknown, format: Format, context: FormatContext): string | Uint8Array {
  const body: unknown = format.write(value, context);
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  throw new Error(`The format ${format.suffix} wrote neither text nor bytes.`);
}

/** Writes an error in a format. */
export function writeProblem(
  problem: Problem,
  headers: ResponseHeaders,
  format: Format,
  links: ResponseLinks | null,
): HttpResponse {
  const context = { ...problemShape, links };
  const type = { 'Content-Type': format.problemMime ?? format.mime };
  const body = write(problem, format, context);
  return { status: problem.status, headers: { ...headers, ...format.headers?.(problem, context), ...type }, body };
}

/** Reads the first page, or piece, before the response begins, so that an error in the request still becomes an error response. */
async function withFirst<T>(pages: AsyncIterable<T>, onFailure: (error: unknown) => void): Promise<AsyncIterable<T>> {
  const source = pages[Symbol.asyncIterator]();
  const first = await source.next();
  async function* replay() {
    try {
      for (let page = first; !page.done; page = await source.next()) yield page.value;
    } catch (error) {
      onFailure(error);
      throw error;
    } finally {
      await source.return?.();
    }
  }
  return replay();
}
