import {
  type Actor,
  type CommandContext,
  Company,
  flag,
  HorariumError,
  type PluginCore,
  ref,
  text,
} from '@horarium/core/plugin';
import type { ReadCrontabs, ReadOptions } from '../lines/read-crontabs.ts';
import { planSync, type SyncRequest } from './plan-sync.ts';
import { reportOn, summaryOf } from './report.ts';
import { syncCrontabs } from './sync-crontabs.ts';
import { refusalsOf, requestOf } from './sync-request.ts';

/** The options of every command that lets run templates follow crontabs. */
export const syncOptions = {
  company: ref('Company', { description: 'the company that the run templates belong to' }).required(),
  timezone: text(64, {
    description:
      'time zone of lines without CRON_TZ, which later syncs of the crontab keep; by default that of this machine if it runs them, else that of the service',
  }),
  dry_run: flag(false, { description: 'only show what would change' }),
};

type ReportContext = Pick<
  CommandContext<typeof syncOptions, typeof syncOptions>,
  'core' | 'actor' | 'output' | 'options'
>;

/**
 * Prints what a sync of crontabs changes, and then does it, unless that is a dry run.
 * @param read reads the crontabs.
 * @param takeOver takes the crontabs from the machine that runs them, before the change. It returns what undoes that, which is
 *   done if the change fails.
 * @throws HorariumError as `read`, and `conflict` where lines that would be taken over could not run as their users; nothing is
 *   changed then.
 */
export async function syncAndReport(
  { core, actor, output, options }: ReportContext,
  read: (options: ReadOptions) => ReadCrontabs,
  takeOver: (() => () => void) | null = null,
): Promise<void> {
  const { dry_run, timezone } = options;
  const company = await core.records(Company).get(actor, options.company);
  const { request: requested, notes } = requestOf(core, read, timezone);
  const refused = refusalsOf(core, requested.crontabs, company.run_as);
  if (takeOver !== null && refused.length > 0 && !dry_run)
    throw new HorariumError('conflict', [...refused, 'Nothing was changed.'].join('\n'));
  const request = { ...requested, companyId: company.id };
  const onProgress = (done: number, total: number) => output.progress(done, total, 'lines');
  // A dry run saves all, and rolls it back, so that it fails where the sync would.
  const changes = dry_run
    ? (await core.store.dryRun(actor, (tables) => syncCrontabs(core, actor, tables, request, onProgress))).result
    : await core.store.read((tables) => planSync(tables, request));
  const report = await core.store.read((tables) => reportOn(core.clock, tables, changes, { actor, request }));
  await output.print(report.rows);
  const remarks = [...refused, ...notes, ...report.notes];
  for (const remark of remarks) await output.note(remark);
  if (!dry_run) {
    const warnings = await change(core, actor, request, { takeOver, onProgress });
    for (const warning of new Set(warnings)) await output.note(`Warning: ${warning}`);
  }
  await output.note(summaryOf(changes));
  if (dry_run) await output.note('Nothing was changed: this was a dry run.');
}

/** How a sync is done. */
interface SyncSteps {
  readonly takeOver: (() => () => void) | null;
  onProgress(done: number, total: number): void;
}

/** Does what a sync is to do, and takes the crontabs over, or neither. @returns warnings. */
async function change(core: PluginCore, actor: Actor, request: SyncRequest, { takeOver, onProgress }: SyncSteps) {
  const undo = takeOver?.();
  try {
    return await core.store.transaction(actor, async (tables) => {
      await syncCrontabs(core, actor, tables, request, onProgress);
      return tables.warnings;
    });
  } catch (error) {
    undo?.();
    throw error;
  }
}
