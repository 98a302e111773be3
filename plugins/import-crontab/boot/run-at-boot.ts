import {
  HorariumError,
  type PluginCore,
  RunTemplate,
  type Tables,
  trustedActor,
  yieldToEventLoop,
} from '@horarium/core/plugin';
import { CrontabSource } from '../sync/crontab-source.ts';
import type { Boot } from '../sync/last-boot.ts';

type BootCore = Pick<PluginCore, 'store' | 'jobs'>;
const actor = trustedActor('@reboot');

/**
 * Runs each template once that a crontab of this machine runs `@reboot`, unless it has run after this boot. One that is switched
 * off is left out.
 * @returns why each could not run that is still to run: one that is paused, say.
 */
export async function runAtBoot(core: BootCore, boot: Boot): Promise<ReadonlyMap<number, string>> {
  const due = await core.store.readOnce((tables) => dueAt(tables, boot));
  const refusals = new Map<number, string>();
  for (const { record_id } of due) {
    await yieldToEventLoop();
    try {
      await core.store.transaction(actor, (tables) => runOnce(core, tables, boot, record_id));
    } catch (error) {
      if (!(error instanceof HorariumError) || error.code === 'unavailable') throw error;
      refusals.set(record_id, error.message);
    }
  }
  return refusals;
}

function dueAt(tables: Tables, { machine, id }: Boot) {
  return tables.of(CrontabSource).find({
    where: [
      ['at_boot', '=', machine],
      ['boot_id', '!=', id],
    ],
  });
}

async function runOnce({ jobs }: BootCore, tables: Tables, { id }: Boot, runtemplate_id: number): Promise<void> {
  const table = tables.of(CrontabSource);
  const [row] = await table.find({ where: [['record_id', '=', runtemplate_id]], lock: 'wait' });
  // Another process of the service may have run it meanwhile.
  if (!row || row.boot_id === id) return;
  const [template] = await tables.of(RunTemplate).find({ where: [['id', '=', runtemplate_id]] });
  await table.update([{ row, set: { boot_id: id } }]);
  if (template?.active) await jobs.scheduleIn(tables, actor, { runtemplate_id });
}
