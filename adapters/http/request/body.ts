import { badRequest, type HttpRequest, invalid, type ParsedJson, parseJson, type UncheckedInput } from '@horarium/core';
import { HttpProblem } from '../reply/problems.ts';
import { header } from './header.ts';

/**
 * Reads the text of a body of at most `limit` bytes. Nothing is decompressed, so a small request stays small.
 * @throws HttpProblem 415 for a content encoding, 413 when it is larger; HorariumError `bad_request` when it is not UTF-8
 * or breaks off.
 */
export async function readText(request: HttpRequest, limit: number): Promise<string> {
  const encoding = header(request, 'content-encoding');
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new HttpProblem(
      'unsupported_media_type',
      `A body in Content-Encoding ${encoding} is not taken; send it plain.`,
    );
  if (Number(header(request, 'content-length') ?? 0) > limit) throw tooLarge(limit);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const pieces: string[] = [];
  let size = 0;
  for await (const bytes of bytesOf(request)) {
    size += bytes.length;
    if (size > limit) throw tooLarge(limit);
    pieces.push(decode(decoder, bytes));
  }
  pieces.push(decode(decoder));
  return pieces.join('');
}

/**
 * Parses the text of a body as JSON or as a form.
 * @throws HttpProblem 415 for other content, 400 when it is broken; HorariumError `invalid` for repeated keys and
 * `__proto__`.
 */
export function parseBody(request: HttpRequest, text: string): UncheckedInput {
  const mime = header(request, 'content-type');
  if (text === '' && mime === undefined) return { kind: 'none' };
  const type = mime?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json' || /^application\/[^/]+\+json$/.test(type)) return readJson(text);
  if (type === 'application/x-www-form-urlencoded') return readForm(text);
  throw new HttpProblem(
    'unsupported_media_type',
    `A body of type ${mime ?? 'unknown'} is not taken; send application/json or application/x-www-form-urlencoded.`,
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
