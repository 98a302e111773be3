import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of a test as the file system of a machine, by the paths that its files have there. */
export class RootFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  place(path: string): string {
    return join(this.#folder, path);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.place(path)), { recursive: true });
    writeFileSync(this.place(path), text);
  }
}
