import { createInterface } from 'node:readline';
import { nodeClock } from '@horarium/core/node';
import { Command } from 'commander';
import { explain } from '../../../host/cli/failure.ts';
import { processIo } from '../../../host/cli/process-io.ts';
import { addAgentCommand } from '../../../host/commands/agent-command.ts';
import { loadConfiguredPlugins } from '../../../host/plugins/built-in.ts';
import type { ConnectHost } from '../../../plugins/fleet-nats/agent/host-link.ts';
import type { AgentOrder } from '../../../plugins/fleet-nats/wire/messages/messages.ts';
import { MemoryHosts } from '../../plugins/fleet-nats/agent/memory-hosts.ts';

/** What a line of the standard input asks of the hosts. */
export type Instruction =
  | { readonly run: string; readonly executor?: string }
  | { readonly order: AgentOrder }
  | { readonly lease: number };

// `horarium agent` with hosts in the memory of its process. Further lines of its output are the ends of jobs.
const program = new Command('horarium').exitOverride();
const connect: ConnectHost = async (credential, { labels }) => {
  const hosts = new MemoryHosts(nodeClock);
  const { report } = hosts.link;
  print({ credential: credential.length, labels });
  createInterface({ input: process.stdin }).on('line', (line) => obey(hosts, JSON.parse(line)));
  return {
    ...hosts.link,
    report: async (sent, signal) => {
      await report(sent, signal);
      const { job, event } = sent;
      if (event.kind === 'ended') print({ job, ...event, output: hosts.outputOf(job) });
    },
    close: async () => {
      process.stdin.destroy();
      hosts.close();
    },
  };
};
addAgentCommand(program, processIo(), { connect: async () => connect, plugins: async () => loadConfiguredPlugins });

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function obey(hosts: MemoryHosts, instruction: Instruction): void {
  if ('order' in instruction) hosts.order(instruction.order);
  else if ('lease' in instruction) hosts.lease = instruction.lease;
  else {
    hosts.add({ executable: 'sh', arguments: ['-c', instruction.run] }, instruction.executor ?? 'native');
    hosts.tellOfWork();
  }
}

try {
  await program.parseAsync(process.argv.slice(2), { from: 'user' });
} catch (error) {
  const { code, text } = explain(error);
  process.stderr.write(text);
  process.exitCode = code;
}
