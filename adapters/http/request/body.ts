import {
  badRequest,
  type HttpRequest,
  invalid,
  type ParsedJson,
  parseJson,
  type Semaphore,
  TooManyRequests,
  type UncheckedInput,
} from '@horarium/core';
import { HttpProblem } from '../reply/problems.ts';
import { header } from './header.ts';

/** The maximum bytes of the body of a request without authentication; a login takes far fewer. */
export const anonymousBodyLimit = 16 * 1024;

/**
 * Reads the text of a body of at most `limit` bytes. Nothing is decompressed, so a small request stays small.
 * @param large has a permit for each body that may be larger than those without authentication are. @default any may
 * @throws HttpProblem 415 for a content encoding, 413 when it is larger; HorariumError `bad_request` when it is not UTF-8
 * or breaks off; TooManyRequests without a permit.
 */
export async function readText(request: HttpRequest, limit: number, large?: Semaphore): Promise<string> {
  requirePlain(request);
  if (Number(header(request, 'content-length') ?? 0) > limit) throw tooLarge(limit);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const pieces: string[] = [];
  let size = 0;
  let isLarge = false;
  try {
    for await (const bytes of bytesOf(request)) {
      size += bytes.length;
      if (size > limit) throw tooLarge(limit);
      if (large && !isLarge && size > anonymousBodyLimit) {
        if (!large.tryAcquire())
          throw new TooManyRequests('Many large bodies are being received; send this one again.', 1000);
        isLarge = true;
      }
      pieces.push(decode(decoder, bytes));
    }
  } finally {
    if (isLarge) large?.release();
  }
  pieces.push(decode(decoder));
  return pieces.join('');
}

function requirePlain(request: HttpRequest): void {
  const encoding = header(request, 'content-encoding');
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new HttpProblem(
      'unsupported_media_type',
      `A body in Content-Encoding ${encoding} is not accepted; send it uncompressed.`,
    );
}

/** Checks that a body, which is not read yet, is declared as plain JSON. @throws HttpProblem 415. */
export function requireJson(request: HttpRequest): void {
  requirePlain(request);
  if (!isJson(mediaType(request)))
    throw new HttpProblem(
      'unsupported_media_type',
      `${describeType(request)} is not accepted here; send application/json.`,
    );
}

function mediaType(request: HttpRequest): string {
  return header(request, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
}

function isJson(type: string): boolean {
  return type === 'application/json' || /^application\/[^/]+\+json$/.test(type);
}

function describeType(request: HttpRequest): string {
  return `A body of type ${header(request, 'content-type') ?? 'unknown'}`;
}

/**
 * Parses the text of a body as JSON or as a form.
 * @throws HttpProblem 415 for other content, 400 when it is broken; HorariumError `invalid` for repeated keys and
 * `__proto__`.
 */
export function parseBody(request: HttpRequest, text: string): UncheckedInput {
  if (text === '' && header(request, 'content-type') === undefined) return { kind: 'none' };
  const type = mediaType(request);
  if (isJson(type)) return readJson(text.replace(/^\ufeff/, ''));
  if (type === 'application/x-www-form-urlencoded') return readForm(text);
  throw new HttpProblem(
    'unsupported_media_type',
    `${describeType(request)} is not accepted; send application/json or application/x-www-form-urlencoded.`,
  );
}

/** Reads the bytes of a body. A sender that disconnects is an error of the request, and none of the service. */
async function* bytesOf({ body }: HttpRequest): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw badRequest('The body broke off before its end.');
  }
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes?: Uint8Array): string {
  try {
    return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
  } catch {
    throw badRequest('The body is not valid UTF-8.');
  }
}

/** The most fields of a form: enough for a list of a thousand entries, each sent as a field. */
const maxFormFields = 2000;

function readForm(text: string): UncheckedInput {
  const parameters = new URLSearchParams(text);
  if (parameters.size > maxFormFields) throw badRequest(`The form has more than ${maxFormFields} fields.`);
  return {
    kind: 'form',
    fields: new Map([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)])),
  };
}

function readJson(text: string): UncheckedInput {
  if (text === '') return { kind: 'none' };
  let parsed: ParsedJson;
  try {
    parsed = parseJson(text);
  } catch (error) {
    throw badRequest(`The body ${(error as SyntaxError).message}.`);
  }
  const { value, errors } = parsed;
  if (errors.length > 0) throw invalid('The body', errors);
  return { kind: 'json', value };
}

function tooLarge(limit: number): HttpProblem {
  return new HttpProblem('payload_too_large', `The body is larger than ${limit} bytes.`);
}
