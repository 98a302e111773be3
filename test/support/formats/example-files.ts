import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The root of the project, seen from the compiled tests. */
const root = new URL('../../../../', import.meta.url);

/** Reads a file of `test/examples`. */
export function readExample(path: string): string {
  return readFileSync(new URL(`test/examples/${path}`, root), 'utf8');
}

/** Reads a folder of real input from the collection that may lie next to the project; empty where there is none. */
export function realFiles(folder: string): { name: string; text: string }[] {
  const place = ['../shared/data/', '../../shared/data/']
    .map((path) => new URL(`${path}${folder}/`, root))
    .find((url) => existsSync(url));
  if (!place) return [];
  return readdirSync(place).map((name) => ({ name, text: readFileSync(new URL(name, place), 'utf8') }));
}
