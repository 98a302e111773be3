import { resolve } from 'node:path';
import { HorariumError } from '@horarium/core';
import { nodeClock } from '@horarium/core/node';
import { AgentRuntime } from '../../plugins/fleet-nats/agent/agent-runtime.ts';
import type { ConnectHost } from '../../plugins/fleet-nats/agent/host-link.ts';
import { exitCodes } from '../cli/failure.ts';
import type { Io } from '../cli/io.ts';
import type { ReadConfig } from '../config/read-config.ts';
import { forgetSecrets } from '../config/secret-files.ts';
import { checkAgentJobsAsRoot } from '../jobs-as-root.ts';
import { openLog } from '../log.ts';
import type { LoadConfiguredPlugins } from '../plugins/configured-plugins.ts';
import { executorPlugins } from '../plugins/executor-plugins.ts';
import { notifySystemd, takeNotifySocket } from '../serve/notify-systemd.ts';
import { StopSignals } from '../serve/stop-signals.ts';
import { letYoungGenerationGrow } from '../serve/young-generation.ts';
import { version } from '../version.ts';
import { agentLogLines } from './agent-log-lines.ts';
import { openExecutors } from './open-executors.ts';
import { readCredential } from './read-credential.ts';

export interface RunAgentOptions {
  /** The file of the credential; undefined = systemd passes it. */
  readonly credential: string | undefined;
  /** How many jobs run at once. */
  readonly slots: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The URLs of the NATS servers. @default those that the credential names */
  readonly servers: readonly string[] | undefined;
  /** A file with the authorities that are trusted. @default those that Node.js trusts */
  readonly ca: string | undefined;
  readonly connect: ConnectHost;
  readonly loadPlugins: LoadConfiguredPlugins;
}

/**
 * Runs an agent until a signal asks it to stop and it has drained, or the hosts want nothing of it any more. A second signal
 * ends it at once. It opens no store, no vault and no port.
 * @throws HorariumError `denied` with a sentence when it was revoked, or is refused for good.
 */
export async function runAgent({ config: read }: ReadConfig, io: Io, options: RunAgentOptions): Promise<void> {
  const { slots, labels, servers, ca, connect, loadPlugins } = options;
  const { folder } = io;
  const config = { ...read, plugins: read.plugins ?? Object.keys(executorPlugins) };
  checkAgentJobsAsRoot(config);
  const credential = await readCredential(options.credential, io);
  forgetSecrets(process.env);
  const notifySocket = takeNotifySocket(process.env);
  const log = await openLog({ level: config.log_level, format: config.log_format });
  const lines = agentLogLines(log);
  try {
    await using resources = new AsyncDisposableStack();
    const open = { loadPlugins, folder, clock: nodeClock, log: lines.ofPlugin };
    const { executors } = resources.use(await openExecutors(config, open));
    const link = await connect(credential, {
      version,
      labels,
      servers,
      ca: ca === undefined ? null : resolve(folder, ca),
      log: (sentence) => lines.ofPlugin('fleet-nats', sentence),
    });
    resources.defer(() => link.close());
    const agent = new AgentRuntime({ link, executors, clock: nodeClock, slots, labels, version, events: lines });
    resources.defer(() => agent.close());
    using signals = new StopSignals(process, nodeClock, ['SIGINT', 'SIGTERM', 'SIGHUP']);
    void signals.second.then(() => {
      log.flush();
      process.exit(exitCodes.interrupted);
    });
    agent.start();
    letYoungGenerationGrow();
    const names = [...executors.keys()];
    await io.out(
      `agent ${link.agent} of ${link.pools.join(', ')}: up to ${slots} jobs at once, by ${names.join(', ')}\n`,
    );
    lines.started({ agent: link.agent, pools: link.pools, slots, executors: names });
    if (notifySocket) await notifySystemd(notifySocket).catch(lines.systemdNotNotified);
    const refusal = await Promise.race([agent.over, signals.first.then((signal) => drain(agent, signal))]);
    await resources.disposeAsync();
    lines.stopped();
    if (refusal !== null) throw new HorariumError('denied', refusal.replace(/\.?$/, '.'));
  } finally {
    log.flush();
  }

  async function drain(agent: AgentRuntime, signal: string): Promise<null> {
    lines.draining(signal, agent.running, config.shutdown_grace);
    const unreported = await agent.drain(config.shutdown_grace);
    if (unreported > 0) lines.unreported(unreported);
    return null;
  }
}
