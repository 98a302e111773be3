import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ConnectHost } from '../../plugins/fleet-nats/agent/host-link.ts';
import { agentSettings, refusalByAgent } from '../agent/agent-settings.ts';
import { readAssignment, readCountArgument } from '../cli/arguments.ts';
import { offering } from '../cli/completion/offers.ts';
import type { Io } from '../cli/io.ts';
import { addSettingOptions, readCommandSettings } from '../cli/setting-options.ts';
import type { Config } from '../config/settings.ts';
import type { LoadConfiguredPlugins } from '../plugins/configured-plugins.ts';

type Labels = Readonly<Record<string, string>>;

interface AgentOptions {
  readonly credential?: string;
  readonly slots?: number;
  readonly label: Labels;
  readonly server?: readonly string[];
  readonly tlsCa?: string;
}

/** What a program has for agents. */
interface AgentParts {
  /** Loads what connects an agent to its hosts. */
  connect(): Promise<ConnectHost>;
  /** Loads what loads plugins. */
  plugins(): Promise<LoadConfiguredPlugins>;
  /** Whether this program may run an agent with these settings; otherwise the command does nothing. @default it may */
  mayRun?(config: Config): boolean;
}

const maxSlots = 1000;
const maxLabels = 32;

/** Adds `agent`, which runs jobs of a service on a machine that has neither its database nor its key. */
export function addAgentCommand(program: Command, io: Io, parts: AgentParts): void {
  const command = program
    .command('agent')
    .description('Run jobs of a service on this machine. It needs neither the database of the service nor its key.')
    .option(
      '--credential <file>',
      'the file that holds the credential of the agent (default: the credential agent_credential of systemd)',
    )
    .addOption(
      offering(
        new Option('--server <url>', 'a NATS server, in place of those that the credential names; may be repeated'),
        { repeatable: true },
      ).argParser((url: string, previous: readonly string[] = []) => [...previous, url]),
    )
    .option('--tls-ca <file>', 'authorities that the NATS servers are trusted by, in PEM (default: those of Node.js)')
    .addOption(
      new Option('--slots <n>', 'how many jobs run at once (default: number of cores × 4)').argParser(readSlots),
    )
    .addOption(
      offering(
        new Option('--label <name=value>', 'what the machine has, for templates that need it; may be repeated'),
        { repeatable: true },
      )
        .argParser(addLabel)
        .default({}, 'none'),
    );
  // The option of the service is read, so that it is refused with a sentence which names that of an agent.
  command.addOption(new Option('--workers <n>', 'refused: --slots says how many jobs run at once').hideHelp());
  command.addHelpText(
    'after',
    '\nUnless the setting plugins says otherwise, it loads the plugins that bring executors. SIGTERM lets its jobs finish.',
  );
  addSettingOptions(command, agentSettings, null).action(
    async ({ credential, slots, label: labels, server: servers, tlsCa: ca }: AgentOptions) => {
      // The settings file of the machine is that of a service, with its database and its key.
      const { environment, folder, machine, err } = io;
      const read = await readCommandSettings(command, { environment, folder, machine, err, refusal: refusalByAgent });
      if (parts.mayRun?.(read.config) === false) return;
      const { runAgent } = await import('../agent/run-agent.ts');
      const [connect, loadPlugins] = await Promise.all([parts.connect(), parts.plugins()]);
      await runAgent(read, io, {
        credential,
        slots: slots ?? io.machine.cores * 4,
        labels,
        servers,
        ca,
        connect,
        loadPlugins,
      });
    },
  );
}

/** Reads the number of slots. @throws InvalidArgumentError for anything but a whole number up to the maximum. */
function readSlots(text: string): number {
  const slots = readCountArgument(text);
  if (slots > maxSlots) throw new InvalidArgumentError(`It must be at most ${maxSlots}.`);
  return slots;
}

/** Adds the label of `--label NAME=VALUE` to those that were read before. @throws InvalidArgumentError */
function addLabel(pair: string, previous: Labels): Labels {
  const [name, value] = readAssignment(pair, 'name=value, such as site=brno');
  if (!/^[a-z0-9][a-z0-9._-]{0,62}$/.test(name) || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(value))
    throw new InvalidArgumentError('A label has up to 63 letters, digits, dots, hyphens and underscores on each side.');
  if (Object.hasOwn(previous, name)) throw new InvalidArgumentError(`The label ${name} is there already.`);
  if (Object.keys(previous).length >= maxLabels) throw new InvalidArgumentError(`There are at most ${maxLabels}.`);
  return { ...previous, [name]: value };
}
