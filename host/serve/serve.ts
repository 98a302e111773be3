import { type Core, trustedActor } from '@horarium/core';
import { basePath } from '../../adapters/http/routes/system-routes.ts';
import type { ApiServer } from '../../adapters/restify/api-server.ts';
import { exitCodes } from '../cli/failure.ts';
import type { Io } from '../cli/io.ts';
import type { Config } from '../config/settings.ts';
import { openLog } from '../log.ts';
import { type LogLines, logLines } from '../log-lines.ts';
import { httpModule } from '../modules/http-module.ts';
import { openHost } from '../open-host.ts';
import { introduce, prepareStore } from '../store/prepare-store.ts';
import { tokens } from '../tokens.ts';
import { fillWithDemo } from './demo.ts';
import { listen, localAddress } from './listen.ts';
import { nextCommand } from './next-command.ts';
import { noteHeads } from './note-heads.ts';
import { readTls } from './read-tls.ts';
import { RenewOnHangup } from './renew-on-hangup.ts';
import { StopSignals } from './stop-signals.ts';
import { tidyMemory } from './tidy-memory.ts';

const hangup = ['SIGHUP'] as const;
/** By then nothing of the start is under way any more, in milliseconds. */
const settled = 1000;

/** Runs the service until it is told to stop and has. Whoever tells it twice does not want to wait: it ends at once. */
export async function serve(config: Config, io: Io, { demo }: { readonly demo: boolean }): Promise<void> {
  const { log, flush } = await openLog({ level: config.log_level, format: config.log_format });
  const lines = logLines(log);
  let address = config.public_url ?? '';
  try {
    // Before a store is made, and a password shown, for a service that cannot start.
    const tls = await readTls(config);
    await using host = await openHost(config, {
      serving: true,
      makesStore: true,
      folder: io.folder,
      capacity: config.workers,
      address: () => address,
      events: { ...lines, templateFailed: lines.templateSkipped },
    });
    const { migrations, firstUser } = await prepareStore(host);
    if (migrations.length > 0) lines.migrated(migrations);
    // At once: nobody could ever learn the password if the start failed from here on.
    if (firstUser) await io.out(`${introduce(firstUser)}\n`);
    const core = await host.get(tokens.core);
    const filled = demo && (await fillWithDemo(core, trustedActor(io.operator, 'cli')));
    await host.add(httpModule(log, tls));
    const server = await host.get(tokens.server);
    const url = await listen(server, config);
    address = config.public_url ?? localAddress(url);
    // Where there is no certificate to be read anew, a hangup ends the service, and not its jobs.
    using signals = new StopSignals(process, core.clock, ['SIGINT', 'SIGTERM', ...(config.tls_cert ? [] : hangup)]);
    using _renewals = config.tls_cert ? new RenewOnHangup(process, () => renewTls(server, config), lines) : null;
    await core.start();
    // In one piece, so that whoever waits for the first line has the others as well.
    const said = [
      `listening on ${url}${basePath}`,
      ...(demo && !filled ? ['There are companies already, so nothing was added for the demonstration.'] : []),
      `Next: ${nextCommand(io, { isEmpty: firstUser !== null && !filled })}`,
    ];
    await io.out(`${said.join('\n')}\n`);
    lines.started({ url, database: config.database_url.kind, workers: config.workers });
    setTimeout(tidyMemory, settled).unref();
    void signals.insisted.then(() => {
      flush();
      process.exit(exitCodes.interrupted);
    });
    await untilStopped({ core, lines, signals, grace: config.shutdown_grace });
    await host[Symbol.asyncDispose]();
    lines.stopped();
  } finally {
    flush();
  }
}

async function renewTls(server: ApiServer, config: Config): Promise<void> {
  const tls = await readTls(config);
  if (tls) server.renew(tls);
}

interface Running {
  readonly core: Core;
  readonly lines: LogLines;
  readonly signals: StopSignals;
  readonly grace: number;
}

/** Requests are answered as long as jobs run: some of them report to us. */
async function untilStopped({ core, lines, signals, grace }: Running): Promise<void> {
  const notes = new AbortController();
  const noted = noteHeads(core, lines, notes.signal);
  lines.draining(await signals.asked, core.running.length, grace);
  notes.abort();
  await Promise.all([core.stop(grace), noted]);
}
