import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type CommandContext,
  Company,
  defineCommand,
  flag,
  HorariumError,
  RunTemplate,
  text,
} from '@horarium/core/plugin';
import { zoneIn } from '../../process/machine/zone-in.ts';
import { adoptedPath } from '../lines/cron-places.ts';
import { readCrontab } from '../lines/crontab.ts';
import { type CrontabFile, readCrontabs } from '../lines/read-crontabs.ts';
import { CrontabSource } from '../sync/crontab-source.ts';
import { deletedCrontabs } from '../sync/deleted-crontabs.ts';
import { syncAndReport, syncOptions } from '../sync/sync-and-report.ts';
import { type CronFile, findCronFiles, isReadByCron, leftOutNote, placeOf, remediesOf } from './cron-files.ts';
import { assertRenamable, type FileRename, renameFiles } from './rename-files.ts';

const options = {
  ...syncOptions,
  undo: flag(false, { description: 'give the crontabs back to cron, and switch their run templates off' }),
  root: text(4096, { description: 'folder of another file system, in place of /; such as that of a container' })
    .default('/')
    .nonNullable(),
  host: text(253, {
    description: 'name by which run templates know the machine of the crontabs; by default that of this machine',
  }),
};
type AdoptContext = CommandContext<Record<never, never>, typeof options>;

/** `cron:adopt` */
export const adoptCommand = defineCommand({
  name: 'cron:adopt',
  summary:
    'Take over all crontabs of this machine, in place of cron. It reads /etc/crontab, /etc/cron.d and those of users, and renames them.',
  group: 'Import and export:',
  arguments: {},
  options,
  run: (context) => (context.options.undo ? giveBack : adopt)(context, resolve(context.folder, context.options.root)),
});

async function adopt(context: AdoptContext, root: string): Promise<void> {
  const { output, options } = context;
  const { files: all, again } = findCronFiles(root);
  const found = all.filter(({ refusal }) => refusal === null);
  const { kept = [], leftOut = [] } = Object.groupBy(
    all.filter((file) => !found.includes(file)),
    ({ isAdopted }) => (isAdopted ? 'kept' : 'leftOut'),
  );
  const notes = leftOut.map((file) => leftOutNote(placeOf(root, file), file.refusal ?? ''));
  const files = await crontabsOf(context, root, found);
  const adopted = files.filter((_, index) => found[index]?.isAdopted);
  await assertOfThisMachine(context, root, adopted);
  await assertNoOthers(context, files, 'and these lines would run twice');
  // One without lines, such as that of a package which only explains, stays with cron.
  const renames = found.filter(({ isAdopted }, index) => !isAdopted && runsSomething(files[index])).map(renameOf(root));
  const pathOf = (source: string) => {
    const path = pathIn(context, root, source);
    const stays = [...again, ...kept.map((file) => file.path)];
    return path === null || stays.includes(path) ? null : path;
  };
  files.push(...(await deletedCrontabs(context.core, files, pathOf)));
  if (files.length === 0 && again.length === 0 && kept.length === 0)
    throw new HorariumError('not_found', [...notes, `There are no crontabs in ${root}.`].join('\n'));
  assertRenamable(renames);
  await syncAndReport(
    context,
    (readOptions) => {
      const read = readCrontabs(files, readOptions);
      return { ...read, notes: [...notes, ...read.notes] };
    },
    () => renameFiles(renames),
  );
  for (const { from, to } of renames)
    await output.note(`${from} ${options.dry_run ? 'would be' : 'is'} renamed to ${to}.`);
  if (files.some(runsSomething))
    await output.note(
      'Their jobs run as the users of these crontabs, so the service must run as root (horarium help native).',
    );
  if (!options.dry_run && renames.length > 0)
    await output.note(
      'cron runs them no more. Edit the renamed files and run this again, or give them back with --undo.',
    );
  assertNoneLeft(root, again, kept);
}

async function giveBack(context: AdoptContext, root: string): Promise<void> {
  const { output, options } = context;
  const { files: all, again } = findCronFiles(root);
  const found = all.filter(({ isAdopted }) => isAdopted);
  if (found.length === 0 && again.length === 0)
    throw new HorariumError('not_found', `There are no adopted crontabs in ${root}.`);
  const renames = found.map(renameOf(root)).map(({ from, to }) => ({ from: to, to: from }));
  assertRenamable(renames);
  const adopted = await crontabsOf(context, root, found);
  await assertOfThisMachine(context, root, adopted);
  const files = adopted.map((file) => ({ ...file, text: '' }));
  await assertNoOthers(context, files, 'and would run beside cron');
  const notes = found.flatMap(({ path, refusal }) =>
    refusal === null ? [] : [`cron leaves ${join(root, path)} out until this is mended: ${refusal}.`],
  );
  await syncAndReport(context, (readOptions) => ({ ...readCrontabs(files, readOptions), notes }));
  // Their templates are off by now: whatever happens here, nothing runs twice.
  if (!options.dry_run) renameFiles(renames);
  for (const { from, to } of renames)
    await output.note(`${from} ${options.dry_run ? 'would be' : 'is'} renamed to ${to}.`);
  if (!options.dry_run && renames.length > 0) await output.note('cron runs them again.');
  assertNoneLeft(root, again, []);
}

/**
 * @param again the crontabs that are there again, beside their adopted versions.
 * @param kept those adopted ones that are not read, because others may have written them.
 * @throws HorariumError `conflict` naming them all.
 */
function assertNoneLeft(root: string, again: readonly string[], kept: readonly CronFile[]): void {
  if (again.length === 0 && kept.length === 0) return;
  const refused = kept.map(
    (file) => `${placeOf(root, file)} is left out: ${file.refusal}. Its run templates stay as they are.`,
  );
  const remedies = remediesOf(again.map((path) => join(root, path)));
  throw new HorariumError('conflict', [...refused, ...remedies].join('\n'));
}

/**
 * @param harm what would follow, to complete the message.
 * @throws HorariumError `conflict` where active run templates of another company come from the crontabs.
 */
async function assertNoOthers(
  { core, options }: AdoptContext,
  files: readonly CrontabFile[],
  harm: string,
): Promise<void> {
  const other = await core.store.read(async (tables) => {
    const names = files.map(({ source }) => source);
    const sources = await tables.of(CrontabSource).find({ where: [['crontab', 'in', names]] });
    const ids = sources.map(({ record_id }) => record_id);
    const templates = await tables.of(RunTemplate).find({
      where: [
        ['id', 'in', ids],
        ['active', '=', true],
      ],
      columns: ['id', 'company_id'],
    });
    const companyIds = [...new Set(templates.map(({ company_id }) => company_id))];
    const companies = await tables.of(Company).find({ where: [['id', 'in', companyIds]], columns: ['id', 'code'] });
    return companies.find(({ id }) => id !== options.company);
  });
  if (other)
    throw new HorariumError(
      'conflict',
      `Run templates of the company ${other.code} come from these crontabs too, ${harm}: use --company ${other.code}, or switch them off first.`,
    );
}

/**
 * Run templates know a crontab by the name of its machine, which may have changed since it was adopted.
 * @param adopted the crontabs that were adopted.
 * @throws HorariumError `conflict` where only those of other machines come from such a file, unless `--host` says whose it is.
 */
async function assertOfThisMachine(
  context: AdoptContext,
  root: string,
  adopted: readonly CrontabFile[],
): Promise<void> {
  const { core, options } = context;
  if (options.host !== null) return;
  const rows = await core.store.readOnce((tables) =>
    tables.of(CrontabSource).find({ where: [['crontab_line', '!=', null]], columns: ['id', 'crontab'] }),
  );
  const sources = [...new Set(rows.flatMap(({ crontab }) => crontab ?? []))];
  for (const crontab of adopted) {
    const { file, source } = crontab;
    if (!runsSomething(crontab) || sources.includes(source)) continue;
    const place = `:${join(root, file)}`;
    const hosts = sources.filter((each) => each.endsWith(place)).map((each) => each.slice(0, -place.length));
    if (hosts.length === 0) continue;
    const named = hosts.slice(0, 3).join(' or ');
    throw new HorariumError(
      'conflict',
      `The run templates of the adopted crontab ${file} are those of ${named}, and the name of this machine is ${hostname()}: use --host ${named} if it was renamed, or --host ${hostname()} if that is another machine.`,
    );
  }
}

async function crontabsOf(context: AdoptContext, root: string, found: readonly CronFile[]): Promise<CrontabFile[]> {
  const read = await context.readFiles(found.map((file) => placeOf(root, file)));
  const machineTimezone = zoneIn(root) ?? context.machineTimezone;
  return found.map(({ path, owner, isAdopted }, index) => ({
    file: path,
    text: read[index]?.text ?? '',
    system: owner === null,
    owner,
    source: sourceOf(context, root, path),
    machineTimezone,
    isOfCron: true,
    isTakenOver: !isAdopted,
  }));
}

/** The name of a crontab in the field `crontab` of its run templates. */
function sourceOf({ options }: AdoptContext, root: string, path: string): string {
  return `${options.host ?? hostname()}:${join(root, path)}`;
}

/** Returns the path of a crontab of this machine that cron would read; null for any other. */
function pathIn(context: AdoptContext, root: string, source: string): string | null {
  const start = sourceOf(context, root, '/');
  const path = source.startsWith(start) ? `/${source.slice(start.length)}` : '';
  return isReadByCron(path) ? path : null;
}

function renameOf(root: string): (file: CronFile) => FileRename {
  return ({ path }) => ({ from: join(root, path), to: join(root, adoptedPath(path)) });
}

/** Whether a crontab has a line that runs something, or was meant to. */
function runsSomething(crontab: CrontabFile | undefined): boolean {
  if (!crontab) return false;
  const { entries, problems } = readCrontab(crontab.text, crontab);
  return entries.length > 0 || problems.length > 0;
}
