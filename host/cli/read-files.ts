import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HorariumError, invalid, type ParsedJson, parseJson } from '@horarium/core';
import type { TextFile } from '@horarium/core/plugin';
import type { Io } from './io.ts';

/**
 * Reads all files that a command works on together.
 * @throws HorariumError `bad_request` when one of them cannot be read, or is named twice.
 */
export async function readFiles(io: Io, names: readonly string[]): Promise<TextFile[]> {
  const paths = names.map((name) => (name === '-' ? name : resolve(io.folder, name)));
  const duplicate = names.find((_name, index) => paths.indexOf(paths[index] as string) !== index);
  if (duplicate !== undefined) throw new HorariumError('bad_request', `${duplicate} is named twice.`);
  return Promise.all(
    names.map(async (name) => ({ name: name === '-' ? 'standard input' : name, text: await readText(io, name) })),
  );
}

/**
 * Reads the text of a file, or of standard input where the name is `-`, without a byte order mark.
 * @throws HorariumError `bad_request` when it cannot be read or is not UTF-8.
 */
export async function readText(io: Io, name: string): Promise<string> {
  const bytes = await readBytes(io, name);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HorariumError('bad_request', `${name === '-' ? 'Standard input' : name} is not UTF-8 text.`);
  }
}

/**
 * Reads the bytes of a file, or of standard input where the name is `-`.
 * @throws HorariumError `bad_request` when it cannot be read.
 */
export async function readBytes(io: Io, name: string): Promise<Uint8Array> {
  if (name === '-') return io.input.bytes();
  try {
    return await readFile(resolve(io.folder, name));
  } catch (error) {
    throw new HorariumError('bad_request', `${name} cannot be read: ${(error as Error).message}.`);
  }
}

/**
 * Reads the JSON object in a file, or in standard input where the name is `-`.
 * @throws HorariumError `bad_request` when it cannot be read or is none; `invalid` when a key stands in it twice.
 */
export async function readJsonFile(io: Io, name: string): Promise<Record<string, unknown>> {
  const source = name === '-' ? 'Standard input' : name;
  const { value: content, errors } = parse(source, await readText(io, name));
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new HorariumError('bad_request', `${source} must hold one JSON object, such as {"name": "…"}.`);
  if (errors.length > 0) throw invalid(source, errors);
  return content as Record<string, unknown>;
}

function parse(source: string, text: string): ParsedJson {
  try {
    return parseJson(text);
  } catch (error) {
    throw new HorariumError('bad_request', `${source} ${(error as SyntaxError).message}.`);
  }
}
