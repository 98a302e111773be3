import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { type CommandContext, defineCommand, flag, HorariumError, text, texts } from '@horarium/core/plugin';
import { cronPathOf, isReadByCron, isRunByCron, leftOutNote, remediesOf } from '../adopt/cron-files.ts';
import { adoptedPath, isFolder, originalPath, ownerOf, statOf } from '../lines/cron-places.ts';
import { type CrontabFile, readCrontabs } from '../lines/read-crontabs.ts';
import { hasSystemFormat } from '../lines/system-format.ts';
import { deletedCrontabs } from './deleted-crontabs.ts';
import { filesIn, sortFiles } from './named-files.ts';
import { syncAndReport, syncOptions } from './sync-and-report.ts';

/** What `readFiles` calls it. */
const standardInput = 'standard input';
/** How often `--watch` looks at the files, in milliseconds. */
const watchInterval = 1000;

const argumentsOf = {
  file: texts(4096, {
    description:
      'crontabs, folders of them such as /etc/cron.d, or - for standard input; if any line cannot be read, nothing is changed',
  }).min(1),
};
const options = {
  ...syncOptions,
  system: flag(false, {
    description:
      'all files have the format of /etc/crontab, which has a user before each command; by default each is recognized by its place or its lines',
  }),
  user: text(32, {
    description: 'user for the jobs of lines that name none; by default the one of all native jobs',
  }),
  source: text(1024, {
    description: 'name that identifies the file when it is synced again, in place of its machine and path',
  }),
  watch: flag(false, { description: 'go on, and sync again whenever a file changes, until Ctrl-C' }),
};
type SyncContext = CommandContext<typeof argumentsOf, typeof options>;

/** `crontab:sync FILE…` */
export const syncCommand = defineCommand({
  name: 'crontab:sync',
  summary:
    'Make run templates of crontabs that follow edits. Changed lines keep their templates, and those of removed lines are switched off.',
  group: 'Import and export:',
  arguments: argumentsOf,
  options,
  async run(context) {
    const { file } = context.arguments;
    const { source, watch, dry_run } = context.options;
    if (source !== null && (file.length > 1 || filesIn(context.folder, file)[0] !== file[0]))
      throw new HorariumError('bad_request', '--source names one file: sync the others by themselves.');
    if (watch && (file.includes('-') || dry_run))
      throw new HorariumError(
        'bad_request',
        `--watch goes with ${dry_run ? 'changes, not with --dry-run' : 'files, not with standard input'}.`,
      );
    const seen = stateOf(context);
    await syncOnce(context);
    if (watch) await watchFiles(context, seen);
  },
});

async function syncOnce(context: SyncContext): Promise<void> {
  const { folder, options, arguments: given } = context;
  const { read: names, again, refused } = sortFiles(folder, given.file);
  const files = await context.readFiles(names);
  const crontabs = files.map(({ name, text }): CrontabFile => {
    const path = name === standardInput ? null : originalPath(resolve(folder, name));
    const place = path === null ? null : cronPathOf(path);
    const owner = options.user ?? (place === null ? null : ownerOf(place));
    const source = options.source ?? sourceOf(path);
    const system = options.system || hasSystemFormat(place, text);
    const file = path === null ? source : originalPath(name);
    const isOfCron = place !== null && isReadByCron(place);
    return {
      file,
      text,
      system,
      owner,
      source,
      isOfCron,
      ...(isOfCron && { machineTimezone: context.machineTimezone }),
    };
  });
  const folders = given.file.map((name) => resolve(folder, name)).filter(isFolder);
  const pathOf = (source: string) => {
    const path = source.slice(`${hostname()}:`.length);
    if (again.includes(path) || refused.has(path)) return null;
    return source === sourceOf(path) && folders.includes(dirname(path)) ? path : null;
  };
  const gone = folders.length > 0 ? await deletedCrontabs(context.core, crontabs, pathOf) : [];
  // An adopted file has another name: neither cron nor this command reads it in a folder.
  const { adopted = [], deleted = [] } = Object.groupBy(gone, ({ file }) =>
    statOf(adoptedPath(file)) ? 'adopted' : 'deleted',
  );
  const leftOut = [...refused].map(([path, refusal]) => leftOutNote(path, refusal));
  const remedies = remediesOf(again);
  if (crontabs.length + gone.length === 0 && leftOut.length + remedies.length > 0)
    throw new HorariumError('conflict', [...leftOut, ...remedies].join('\n'));
  const runByCron = new Set(
    crontabs
      .filter((_, index) => isRunByCron(cronPathOf(resolve(folder, files[index]?.name ?? ''))))
      .map(({ source }) => source),
  );
  await syncAndReport(context, (readOptions) => {
    const read = readCrontabs([...crontabs, ...deleted], readOptions);
    const twice = read.crontabs.filter(({ source, lines }) => runByCron.has(source) && lines.length > 0);
    const notes = [
      ...leftOut,
      ...twice.map(({ file }) => `cron reads ${file} too: where cron is running, its lines run twice. Use cron:adopt.`),
      ...adopted.map(({ file }) => `${file} is adopted, and left to cron:adopt.`),
    ];
    return { ...read, notes: [...notes, ...read.notes] };
  });
  if (remedies.length > 0) throw new HorariumError('conflict', remedies.join('\n'));
}

/** Returns the name under which run templates know a crontab of this machine. @throws HorariumError `bad_request` for standard input. */
function sourceOf(path: string | null): string {
  if (path !== null) return `${hostname()}:${path}`;
  const advice = 'give it one with --source, such as crontab-of-jana';
  throw new HorariumError('bad_request', `Standard input has no name: ${advice}.`);
}

/** Syncs again whenever a file is not in its first state or changes. A file that cannot be read, or a database that does not answer, is reported. */
async function watchFiles(context: SyncContext, first: string): Promise<never> {
  let seen = first;
  await context.output.note('Watching the files; Ctrl-C ends this.');
  for (;;) {
    await context.core.clock.sleep(watchInterval);
    let state = seen;
    try {
      state = stateOf(context);
      if (state === seen) continue;
      await syncOnce(context);
      seen = state;
    } catch (error) {
      if (!(error instanceof HorariumError)) throw error;
      await context.output.note(error.message);
      // A database that is away is asked again; a file that is wrong is read again once it changes.
      if (error.code !== 'unavailable') seen = state;
    }
  }
}

/** Returns a text that differs once a file was changed, replaced, added or removed. */
function stateOf({ folder, arguments: { file } }: SyncContext): string {
  const stats = filesIn(folder, file).map((name) => {
    const stat = statOf(resolve(folder, name));
    return [name, stat?.mtimeMs, stat?.size, stat?.ino];
  });
  return JSON.stringify(stats);
}
