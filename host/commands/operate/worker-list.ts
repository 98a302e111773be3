import { HorariumError } from '@horarium/core';
import type { Command } from 'commander';
import { addStoreCommand, type Cli, type CommandSession } from '../../cli/command-session.ts';
import { commandGroups } from '../../cli/help/command-groups.ts';
import { print } from '../../cli/output.ts';

/** The parts of the status of the service that tell what runs jobs. */
interface Status {
  readonly time: string;
  /** Undefined = the actor may not see them. */
  readonly workers?: readonly {
    readonly name: string;
    readonly capacity: number;
    readonly used_slots: number;
    readonly lease_until: string;
    readonly lost_at: string | null;
  }[];
  /** Undefined = agents run no jobs here. */
  readonly agents?: readonly {
    readonly name: string;
    readonly pools: readonly string[];
    readonly labels: Readonly<Record<string, string>>;
    readonly slots: number;
    readonly used_slots: number;
    readonly version: string | null;
    readonly alive_until: string;
  }[];
}

/** Adds `worker:list`. */
export function addWorkerListCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'worker:list')
    .helpGroup(commandGroups.upkeep)
    .description('List what runs jobs: the processes of the service, and the agents that are alive.');
  command.action(async () => {
    await using session = await cli.open(command);
    await print(cli.io, command, await workerRows(session));
  });
}

/** Returns a row for each worker of the service and for each agent. @throws HorariumError `denied`. */
async function workerRows({ core, actor }: CommandSession) {
  const { time, workers, agents = [] } = (await core.status(actor)) as unknown as Status;
  if (!workers) throw new HorariumError('denied', `${actor.name} may not read workers: that takes the role admin.`);
  return [
    ...workers.map(({ name, capacity: slots, used_slots, lease_until: until, lost_at }) => {
      const state = lost_at !== null ? 'lost' : until > time ? 'alive' : 'silent';
      return { name, state, slots, used_slots, pools: [], labels: {}, version: null, until };
    }),
    // Each has the name that the records of its jobs have.
    ...agents.map(({ name, slots, used_slots, pools, labels, version, alive_until: until }) => {
      return { name: `agent:${name}`, state: 'alive', slots, used_slots, pools, labels, version, until };
    }),
  ];
}
