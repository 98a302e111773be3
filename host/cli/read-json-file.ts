import { HorariumError, invalid, type ParsedJson, parseJson } from '@horarium/core';
import type { Io } from './io.ts';
import { readText } from './read-files.ts';

/**
 * The JSON object in a file, or in the input where the name is `-`.
 * @throws HorariumError `bad_request` when it cannot be read or is none; `invalid` when a key stands in it twice.
 */
export async function readJsonFile(io: Io, name: string): Promise<Record<string, unknown>> {
  const words = name === '-' ? 'The input' : name;
  const text = await readText(io, name);
  const { value: content, errors } = parse(words, text);
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new HorariumError('bad_request', `${words} must hold one JSON object, such as {"name": "…"}.`);
  if (errors.length > 0) throw invalid(words, errors);
  return content as Record<string, unknown>;
}

function parse(words: string, text: string): ParsedJson {
  try {
    return parseJson(text);
  } catch (error) {
    throw new HorariumError('bad_request', `${words} ${(error as SyntaxError).message}.`);
  }
}
