import { type Core, type HorariumError, systemClock, trustedActor } from '@horarium/core';
import { basePath } from '../../adapters/http/base-path.ts';
import type { OpenedStore } from '../../adapters/mikro-orm/database.ts';
import { fillWithDemo } from '../../plugins/demo/demo.ts';
import { exitCodes } from '../cli/failure.ts';
import type { Io } from '../cli/io.ts';
import type { ReadConfig } from '../config/read-config.ts';
import { forgetSecrets } from '../config/secret-files.ts';
import { type LogLines, logLines } from '../log-lines.ts';
import { httpModule } from '../modules/http-module.ts';
import { openHost } from '../open-host.ts';
import { settingRows } from '../plugins/setting-rows.ts';
import { serviceIds } from '../service-ids.ts';
import { firstUserMessage, prepareStore } from '../store/prepare-store.ts';
import { listen } from './listen.ts';
import { logAuditHeads } from './log-audit-heads.ts';
import { newerVersion } from './newer-version.ts';
import { notifySystemd, takeNotifySocket } from './notify-systemd.ts';
import { StopSignals } from './stop-signals.ts';
import { ReloadOnSighup, readTls } from './tls.ts';
import { letYoungGenerationGrow } from './young-generation.ts';

const hangup = ['SIGHUP'] as const;

/** Runs the service until a signal asks it to stop and it has drained. A second signal ends it at once. */
export async function serve(
  read: ReadConfig,
  io: Io,
  { demo = false }: { readonly demo?: boolean } = {},
): Promise<void> {
  const { config } = read;
  const { folder, model, modules = [] } = io;
  forgetSecrets(process.env);
  const notifySocket = takeNotifySocket(process.env);
  // The certificate is read before a store is created, and a password shown, for a service that cannot start.
  const tls = await readTls(config, folder, systemClock.now());
  await using host = await openHost(config, {
    folder,
    model,
    modules: [...modules, httpModule(tls, await settingRows(read))],
  });
  const log = await host.get(serviceIds.log);
  const lines = logLines(log);
  tls?.warnings.forEach(lines.tlsWarning);
  try {
    const { migrations, firstUser } = await prepareStore(host, {
      migrating: lines.migrating,
      progress: lines.migrationProgress,
    });
    if (migrations.length > 0) lines.migrated(migrations);
    // The password is shown at once, because it could never be learnt if the start failed from here on.
    if (firstUser) await io.out(`${firstUserMessage(firstUser)}\n`);
    const core = await host.get(serviceIds.core);
    const operator = trustedActor(io.operator, 'cli');
    const filled = demo && (await core.store.transaction(operator, (tables) => fillWithDemo(core, operator, tables)));
    const server = await host.get(serviceIds.server);
    const url = await listen(host);
    // Without a certificate to reload, SIGHUP stops the service as SIGTERM does, and leaves its jobs alone.
    using signals = new StopSignals(process, core.clock, ['SIGINT', 'SIGTERM', ...(config.tls_cert ? [] : hangup)]);
    const reload = async () => {
      const renewed = await readTls(config, folder, systemClock.now());
      if (renewed) server.reloadTls(renewed);
      renewed?.warnings.forEach(lines.tlsWarning);
    };
    using _reloads = config.tls_cert ? new ReloadOnSighup(process, reload, lines) : null;
    await core.start();
    letYoungGenerationGrow();
    // The lines are written in one piece, so that a program that waits for the first one has the others as well.
    const { assets } = await host.get(serviceIds.registries);
    const hasPages = [...assets].some(({ at, page }) => at === '/' && page);
    const text = [
      `listening on ${url}${basePath}`,
      ...(hasPages ? [`In a browser: ${config.public_url ?? url}/`] : []),
      ...(demo && !filled ? ['There are companies already, so nothing was added for the demonstration.'] : []),
      `Next: ${nextCommand(io, { isEmpty: firstUser !== null && !filled })}`,
    ];
    await io.out(`${text.join('\n')}\n`);
    const store = await host.get(serviceIds.store);
    lines.started({ url, database: store.kind, workers: config.workers });
    if (notifySocket) await notifySystemd(notifySocket).catch(lines.systemdNotNotified);
    void signals.second.then(() => {
      log.flush();
      process.exit(exitCodes.interrupted);
    });
    const outdated = await untilStopped({ core, store, lines, signals, grace: config.shutdown_grace });
    await host[Symbol.asyncDispose]();
    lines.stopped();
    if (outdated) throw outdated;
  } finally {
    log.flush();
  }
}

/** Suggests the next command, spelt as the service itself was called. */
function nextCommand({ environment }: Pick<Io, 'environment'>, { isEmpty }: { readonly isEmpty: boolean }): string {
  const { npm_command: npm, npm_lifecycle_event: script } = environment;
  const horarium = npm === 'exec' ? 'npx horarium' : script ? 'npm run -s horarium --' : 'horarium';
  return `${horarium} ${isEmpty ? 'company:save --code acme --name "Acme"' : 'task:list'}`;
}

interface Running {
  readonly core: Core;
  readonly store: OpenedStore;
  readonly lines: LogLines;
  readonly signals: StopSignals;
  readonly grace: number;
}

/**
 * Waits for the signal to stop, or until a newer version has migrated the store, then drains. Requests are answered as
 * long as jobs run, because some jobs report to the service.
 * @returns why the service cannot go on; null when a signal stopped it.
 */
async function untilStopped({ core, store, lines, signals, grace }: Running): Promise<HorariumError | null> {
  const watching = new AbortController();
  const logging = logAuditHeads(core, lines, watching.signal);
  const outdated = newerVersion(store, core.clock, watching.signal);
  const reason = await Promise.race([signals.first, outdated.then((error) => error?.message ?? '')]);
  lines.draining(reason, core.running.length, grace);
  watching.abort();
  await Promise.all([core.stop(grace), logging]);
  return outdated;
}
