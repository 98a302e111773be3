import { definePlugin, type PluginTicker } from '@horarium/core/plugin';
import { adoptCommand } from './adopt/adopt-command.ts';
import { runAtBoot } from './boot/run-at-boot.ts';
import { crontabExportCommand } from './export/export-command.ts';
import { crontabRoute } from './import/crontab-import.ts';
import { crontabFields } from './sync/crontab-source.ts';
import { lastBoot } from './sync/last-boot.ts';
import { syncCommand } from './sync/sync-command.ts';
import { timerCommand } from './timers/timer-command.ts';

/** How long a template that could not run after a boot waits until it is tried again, in milliseconds. */
const retryInterval = 10_000;

/** Runs what crontabs run `@reboot`, and then nothing more: the next boot is that of another process. */
function bootTicker(log: (sentence: string) => void): PluginTicker {
  let refused: ReadonlyMap<number, string> | null = null;
  return {
    name: 'crontab-reboot',
    interval: retryInterval,
    async tick(core) {
      if (refused?.size === 0) return;
      const before = refused;
      refused = await runAtBoot(core, lastBoot());
      for (const [id, reason] of refused)
        if (before?.get(id) !== reason)
          log(`run template ${id} is to run after the boot of this machine, and waits: ${reason}`);
    },
  };
}

/** Lets run templates follow crontabs. */
export default definePlugin({
  name: 'import-crontab',
  api: 1,
  fields: crontabFields,
  commands: [syncCommand, adoptCommand, crontabExportCommand, timerCommand],
  routes: () => [crontabRoute],
  tickers: ({ log }) => [bootTicker(log)],
});
