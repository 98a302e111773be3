import type { AttemptProgress } from '@horarium/core/plugin';
import { inside, openFolder, openOwnFile } from './open-folder.ts';

/** The name of the file in its working directory that a program may write its progress into. */
export const progressFile = '.horarium-progress';

/** The end of a file that is read of it: programs may append lines to it. */
const maxRead = 4096;

/** The progress file of one running program. */
export class ProgressFile {
  readonly #folder: string;
  readonly #owner: number | null;
  readonly #report: (progress: AttemptProgress) => void;
  #last: string | null = null;

  /**
   * @param folder the working directory of the program.
   * @param owner the id of the user that the file must belong to; null = any, where this process runs as the same user.
   */
  constructor(folder: string, owner: number | null, report: (progress: AttemptProgress) => void) {
    this.#folder = folder;
    this.#owner = owner;
    this.#report = report;
  }

  /** Whether the program has written it. */
  get isThere(): boolean {
    return this.#last !== null;
  }

  /** Reads it, and reports what has changed. Never rejects. */
  async read(): Promise<void> {
    const text = await this.#readEnd().catch(() => null);
    if (text === null || text === this.#last) return;
    this.#last = text;
    const progress = parseProgress(text);
    if (progress) this.#report(progress);
  }

  /** @returns null where there is no file that may be read. @throws Error with an errno code where there is none. */
  async #readEnd(): Promise<string | null> {
    const top = await openFolder(this.#folder);
    try {
      const file = await openOwnFile(inside(top, Buffer.from(progressFile)), this.#owner);
      if ('refusal' in file) return null;
      try {
        const from = Math.max(0, file.size - maxRead);
        const { bytesRead, buffer } = await file.handle.read(Buffer.alloc(maxRead), 0, maxRead, from);
        return buffer.toString('utf8', 0, bytesRead);
      } finally {
        await file.handle.close();
      }
    } finally {
      await top.close();
    }
  }
}

/**
 * Reads the last line of a progress file: percents, a message, or both: `40`, `40 % half way`, `half way`.
 * @returns null where it says nothing.
 */
export function parseProgress(text: string): AttemptProgress | null {
  const line = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  if (line === '') return null;
  const [, percent, message = ''] = /^(\d{1,3}(?:\.\d+)?)(?: ?%)?(?:\s+(.*))?$/.exec(line) ?? [];
  if (percent === undefined || Number(percent) > 100) return { progress: null, message: line };
  return { progress: Math.floor(Number(percent)), message: message === '' ? null : message };
}
