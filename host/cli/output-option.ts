import { type Command, Option } from 'commander';
import type { Io } from './io.ts';
import { type OutputFormat, outputFormats, render, type TableColumns } from './render.ts';

/** Adds `--format`. */
export function addFormat(command: Command): Command {
  return command.addOption(
    new Option('--format <format>', 'how the answer is written').choices(outputFormats).default('table'),
  );
}

/** Prints an answer as the command's `--format` asks. */
export async function print(
  io: Io,
  command: Command,
  value: Parameters<typeof render>[0],
  columns?: TableColumns,
): Promise<void> {
  await io.out(await render(value, command.opts<{ format: OutputFormat }>().format, columns));
}
