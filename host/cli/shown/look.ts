import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { readSettingsOf } from '../setting-options.ts';
import { hasColours } from './colours.ts';
import { messageWithLocalTimes } from './times.ts';

/** How a command shows things to people. */
export interface Look {
  /** The zone of the times. */
  readonly timezone: string;
  /** Whether headings and states are in colour. */
  readonly colours: boolean;
  /** The width of the terminal that shows them, in characters. @default none does */
  readonly width?: number | undefined;
}

/** Adds `--utc`. */
export function addTimeOption(command: Command): Command {
  return command.option('--utc', 'show times in UTC, in place of the zone of TZ or else of the setting timezone');
}

/**
 * Returns how a command shows things: in UTC with `--utc`, else in the zone that its user has set by TZ, else in that of
 * the service.
 * @throws HorariumError as `readSettings`.
 */
export async function lookOf(command: Command, io: Io): Promise<Look> {
  return { timezone: await timezoneOf(command, io), colours: hasColours(io), width: io.screen ? io.width : undefined };
}

/** Returns a message with its times as the command shows them; as it is where the settings, which name the zone, are wrong. */
export async function localizeMessage(command: Command, io: Io, message: string): Promise<string> {
  try {
    return messageWithLocalTimes(message, await timezoneOf(command, io));
  } catch {
    return message;
  }
}

async function timezoneOf(command: Command, io: Io): Promise<string> {
  if (command.opts<{ utc?: boolean }>().utc) return 'UTC';
  if (io.environment['TZ']) return io.machine.timezone;
  return (await readSettingsOf(command, io)).config.timezone;
}
