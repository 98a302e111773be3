// An older Node is refused before a module asks for what it lacks.
import '#core/node-version';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { appearances, Camera, pictureOf } from './camera.ts';
import { now, openStory } from './story.ts';
import { readmePictures, views } from './views.ts';

const defaultFolder = 'var/screenshots';
const readmeFolder = 'plugins/console/screenshots';
const chromiumVariable = 'HORARIUM_TEST_CHROMIUM';
const usualChromium = '/usr/bin/chromium';

const help = `npm run screenshots -- [FOLDER] [--only NAME]…
npm run screenshots -- --readme

Takes a picture of every page of the console, in both schemes and at the widths of a laptop and of a
phone, of a service with two companies whose clock stands still: two runs give the same pictures.

FOLDER        where they are written to; ${defaultFolder} if it is left out
--only NAME   only the page of that name, such as now or timeline; several may be named
--readme      only the first screens of the pages that README shows, into ${readmeFolder}

${chromiumVariable} holds the path of Chromium; ${usualChromium} if it is not set.`;

/** Thrown for a line or a machine that does not allow for pictures. */
class Refusal extends Error {}

/** What a shell expects as the exit code of a program that such a signal has ended. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const stop = new AbortController();
for (const name of Object.keys(exitCodes)) process.once(name, (signal) => stop.abort(signal));

process.exitCode = await run(process.argv.slice(2), stop.signal).catch((error: unknown) => {
  // What a stop interrupts fails for that reason alone.
  if (stop.signal.aborted) return exitCodes[stop.signal.reason as keyof typeof exitCodes];
  console.error(error instanceof Refusal ? error.message : error);
  return error instanceof Refusal ? 2 : 1;
});

/** @throws anything once the signal stops it: then nothing of it is left but the pictures that were taken. */
async function run(line: readonly string[], signal: AbortSignal): Promise<number> {
  const { folder, only, isReadme, isHelp } = readLine(line);
  if (isHelp) {
    console.log(help);
    return 0;
  }
  const unknown = only.filter((name) => !views.some((view) => view.name === name));
  const names = views.map(({ name }) => name).join(', ');
  if (unknown.length > 0) throw new Refusal(`There is no page ${unknown.join(', ')}. The pages: ${names}`);
  const chosen = only.length === 0 ? views : views.filter(({ name }) => only.includes(name));
  const executablePath = chromiumPath();
  const { service, ids } = await openStory(signal);
  await using _service = service;
  mkdirSync(folder, { recursive: true });
  await using camera = await Camera.open({ executablePath, url: service.url, now, ids, signal });
  const isWanted = (file: string) => !isReadme || readmePictures.includes(file);
  const total = isReadme ? readmePictures.length : chosen.length * appearances.length;
  let taken = 0;
  const onTaken = (file: string) => {
    taken += 1;
    console.log(`${taken} of ${total}: ${file}`);
  };
  for (const appearance of appearances) {
    const wanted = chosen.filter(({ name }) => isWanted(pictureOf(name, appearance)));
    if (wanted.length > 0) await camera.take(appearance, wanted, { folder, isWhole: !isReadme, onTaken });
  }
  console.log(`The pictures are in ${folder}`);
  return 0;
}

function readLine(args: readonly string[]) {
  try {
    const options = {
      help: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      readme: { type: 'boolean', default: false },
    } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const { help: isHelp, only = [], readme: isReadme } = values;
    if (positionals.length > 1) throw new Error('Only one folder can be named.');
    if (isReadme && positionals.length + only.length > 0)
      throw new Error('--readme has pages and a folder of its own.');
    const folder = isReadme ? readmeFolder : (positionals[0] ?? defaultFolder);
    return { folder: resolve(folder), only, isReadme, isHelp };
  } catch (error) {
    throw new Refusal(`${error instanceof Error ? error.message : error}\n\n${help}`);
  }
}

/** @throws Refusal where there is no Chromium. */
function chromiumPath(): string {
  const path = process.env[chromiumVariable] ?? usualChromium;
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new Refusal(`There is no Chromium at ${path}: install it, or set ${chromiumVariable} to the path of one.`);
  }
}
