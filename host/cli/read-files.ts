import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HorariumError } from '@horarium/core';
import type { Io } from './io.ts';

export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/**
 * Texts that a command is to work on together.
 * @throws HorariumError `bad_request` when one of them cannot be read, or is named twice.
 */
export async function readFiles(io: Io, names: readonly string[]): Promise<NamedText[]> {
  const paths = names.map((name) => (name === '-' ? name : resolve(io.folder, name)));
  const twice = names.find((_name, index) => paths.indexOf(paths[index] as string) !== index);
  if (twice !== undefined) throw new HorariumError('bad_request', `${twice} is named twice.`);
  return Promise.all(
    names.map(async (name) => ({ name: name === '-' ? 'the input' : name, text: await readText(io, name) })),
  );
}

/**
 * The text of a file, or of the input where the name is `-`; a byte order mark is no part of it.
 * @throws HorariumError `bad_request` when it cannot be read or is no text in UTF-8.
 */
export async function readText(io: Io, name: string): Promise<string> {
  const bytes = await readBytes(io, name);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HorariumError('bad_request', `${name === '-' ? 'The input' : name} is no text in UTF-8.`);
  }
}

/**
 * What a file holds, or the input where the name is `-`.
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
