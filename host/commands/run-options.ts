import type { NewJob } from '@horarium/core';
import { type Command, Option } from 'commander';
import { readAssignment } from '../cli/arguments.ts';
import { offering } from '../cli/completion/offers.ts';

/** Adds the options of a job that a person requests: its one-off environment, and when it is due. */
export function addRunOptions(command: Command): Command {
  return command
    .addOption(
      offering(
        new Option(
          '--env <KEY=VALUE>',
          'a value for this job alone, of a variable that the App declares; may be repeated',
        ),
        { repeatable: true },
      )
        .argParser(addVariable)
        .default({}, 'none'),
    )
    .option('--at <time>', 'when it is due, such as 2026-11-21T05:00:00Z; now if it is left out');
}

/** Returns the fields of a new job that these options set. */
export function runFields(command: Command): Pick<NewJob, 'environment' | 'scheduled_at'> {
  const { env: environment, at } = command.opts<{ env: Readonly<Record<string, string>>; at?: string }>();
  return { environment, ...(at !== undefined && { scheduled_at: at }) };
}

/** Adds the value of `--env KEY=VALUE` to those that were read before. @throws InvalidArgumentError */
export function addVariable(pair: string, previous: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [name, value] = readAssignment(pair, 'KEY=VALUE');
  return { ...previous, [name]: value };
}
