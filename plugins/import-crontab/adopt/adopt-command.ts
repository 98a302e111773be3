import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type CommandContext, defineCommand, flag, HorariumError, text } from '@horarium/core/plugin';
import { adoptedPath } from '../lines/cron-places.ts';
import { type CrontabFile, readCrontabs } from '../lines/read-crontabs.ts';
import { CrontabSource } from '../sync/crontab-source.ts';
import { syncAndReport, syncOptions } from '../sync/sync-and-report.ts';
import { type CronFile, findCronFiles, isReadByCron } from './cron-files.ts';
import { assertMovable, type Move, moveFiles } from './move-files.ts';

const options = {
  ...syncOptions,
  undo: flag(false, { description: 'give the crontabs back to cron, and switch their run templates off' }),
  root: text(4096, { description: 'folder of another file system, in place of /; such as that of a container' })
    .default('/')
    .nonNullable(),
};
type AdoptContext = CommandContext<Record<never, never>, typeof options>;

/** `cron:adopt` */
export const adoptCommand = defineCommand({
  name: 'cron:adopt',
  summary:
    'Take over all crontabs of this machine, /etc/crontab, /etc/cron.d and those of users, and rename them, so that cron runs them no more.',
  group: 'Import and export:',
  arguments: {},
  options,
  run: (context) => (context.options.undo ? giveBack : adopt)(context, resolve(context.folder, context.options.root)),
});

async function adopt(context: AdoptContext, root: string): Promise<void> {
  const { output, options } = context;
  const found = findCronFiles(root);
  const files = await crontabsOf(context, root, found, (text) => text);
  // One without lines, such as that of a package which only explains, stays with cron.
  const moves = found
    .filter(({ isAdopted }, index) => !isAdopted && hasLines(files[index]?.text ?? ''))
    .map(moveOf(root));
  files.push(...(await deletedCrontabs(context, root, files)));
  if (files.length === 0) throw new HorariumError('not_found', `There are no crontabs in ${root}.`);
  assertMovable(moves);
  await syncAndReport(
    context,
    (readOptions) => readCrontabs(files, readOptions),
    () => moveFiles(moves),
  );
  for (const { from, to } of moves)
    await output.note(`${from} ${options.dry_run ? 'would be' : 'is'} renamed to ${to}.`);
  if (files.some(({ text: content }) => hasLines(content)))
    await output.note(
      'Their jobs run as the users of these crontabs, so the service must run as root (horarium help native).',
    );
  if (!options.dry_run && moves.length > 0)
    await output.note(
      'cron runs them no more. Edit the renamed files and run this again, or give them back with --undo.',
    );
}

async function giveBack(context: AdoptContext, root: string): Promise<void> {
  const { output, options } = context;
  const found = findCronFiles(root).filter(({ isAdopted }) => isAdopted);
  if (found.length === 0) throw new HorariumError('not_found', `There are no adopted crontabs in ${root}.`);
  const moves = found.map(moveOf(root)).map(({ from, to }) => ({ from: to, to: from }));
  assertMovable(moves);
  const files = await crontabsOf(context, root, found, () => '');
  await syncAndReport(context, (readOptions) => readCrontabs(files, readOptions));
  // Their templates are off by now: whatever happens here, nothing runs twice.
  if (!options.dry_run) moveFiles(moves);
  for (const { from, to } of moves)
    await output.note(`${from} ${options.dry_run ? 'would be' : 'is'} renamed to ${to}.`);
  if (!options.dry_run) await output.note('cron runs them again.');
}

/** @param textOf returns the content of a file that was read. */
async function crontabsOf(
  context: AdoptContext,
  root: string,
  found: readonly CronFile[],
  textOf: (text: string) => string,
): Promise<CrontabFile[]> {
  const places = found.map(({ path, isAdopted }) => join(root, isAdopted ? adoptedPath(path) : path));
  const read = await context.readFiles(places);
  return found.map(({ path, owner }, index) => ({
    file: path,
    text: textOf(read[index]?.text ?? ''),
    system: owner === null,
    owner,
    source: sourceOf(root, path),
  }));
}

/** Returns the crontabs that run templates come from and that are there no more, as empty ones. */
async function deletedCrontabs(
  { core }: AdoptContext,
  root: string,
  files: readonly CrontabFile[],
): Promise<CrontabFile[]> {
  const rows = await core.store.readOnce((tables) =>
    tables.of(CrontabSource).find({ where: [['crontab_line', '!=', null]], columns: ['id', 'crontab'] }),
  );
  const known = new Set(files.map(({ source }) => source));
  const sources = [...new Set(rows.flatMap(({ crontab }) => crontab ?? []))].filter((source) => !known.has(source));
  return sources.flatMap((source) => {
    const path = pathIn(root, source);
    return path === null ? [] : [{ file: path, text: '', system: false, owner: null, source }];
  });
}

/** The name by which run templates know a crontab. */
function sourceOf(root: string, path: string): string {
  return `${hostname()}:${join(root, path)}`;
}

/** Returns the path of a crontab of this machine that cron would read; null for any other. */
function pathIn(root: string, source: string): string | null {
  const start = sourceOf(root, '/');
  const path = source.startsWith(start) ? `/${source.slice(start.length)}` : '';
  return isReadByCron(path) ? path : null;
}

function moveOf(root: string): (file: CronFile) => Move {
  return ({ path }) => ({ from: join(root, path), to: join(root, adoptedPath(path)) });
}

/** Whether a crontab has more than comments and blank lines. */
function hasLines(text: string): boolean {
  return text.split('\n').some((line) => /^\s*[^\s#]/.test(line));
}
