import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { badRequest, HorariumError } from '@horarium/core';
import { textLines } from '@horarium/core/node';
import type { Io } from '../../cli/io.ts';
import { writeReplaceableFile } from '../../cli/replaceable-file.ts';

/** The name that stands for standard input and output. */
const standard = '-';
const backups = { noun: 'backup', beginning: '{"horarium":"backup"', mode: 0o600 } as const;

/**
 * Writes a backup to a file, which has its name only once it is whole, or to standard output where the name is `-`.
 * @param write writes the backup by the function that it is passed.
 * @throws HorariumError `conflict` for a file that is there and no backup, `unavailable` when it cannot be written;
 *   `bad_request` for a terminal.
 */
export async function writeBackupFile<T>(
  { io, name }: { readonly io: Io; readonly name: string },
  write: (to: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (name === standard) {
    if (io.screen)
      throw badRequest('Standard output is a terminal: name a file, or send the backup to another program or file.');
    return write((text) => io.out(text));
  }
  return writeReplaceableFile(io, name, backups, write);
}

/** The lines of a file, or of standard input where the name is `-`. */
export class BackupLines implements Disposable {
  readonly #source: AsyncIterable<string> & { destroy?(): unknown };
  readonly #name: string;

  constructor(io: Io, name: string) {
    this.#name = name === standard ? 'standard input' : name;
    this.#source =
      name === standard ? io.input.text() : createReadStream(resolve(io.folder, name), { encoding: 'utf8' });
  }

  /** @throws HorariumError `bad_request` when they cannot be read. */
  async *read(): AsyncGenerator<string> {
    try {
      yield* textLines(this.#source, this.#name);
    } catch (error) {
      if (error instanceof HorariumError) throw error;
      throw badRequest(`${this.#name} cannot be read (${codeOf(error)}).`);
    }
  }

  /** Stops reading, so that the process ends although more may come. */
  [Symbol.dispose](): void {
    this.#source.destroy?.();
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? error);
}
