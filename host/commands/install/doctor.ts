import type { Command } from 'commander';
import type { Cli } from '../../cli/command-session.ts';
import { CommandExit, exitCodes } from '../../cli/failure.ts';
import type { Io } from '../../cli/io.ts';
import { addFormatOption, type OutputFormat, render } from '../../cli/output.ts';
import { addSettingOptions, everySetting } from '../../cli/setting-options.ts';
import { hasColours, paintWord } from '../../cli/shown/colours.ts';
import { addTimeOption, type Look, lookOf } from '../../cli/shown/look.ts';
import { escapeControls } from '../../cli/shown/terminal-text.ts';
import { sentenceWithLocalTimes } from '../../cli/shown/times.ts';
import type { Examined } from '../../doctor/examine.ts';

/** Adds `doctor`, which opens what the service would open, says what is wrong, and changes nothing. */
export function addDoctorCommand(program: Command, { io }: Cli): void {
  const command = addTimeOption(addFormatOption(program.command('doctor')))
    .description(
      'Check the installation, and change nothing. It looks at settings, database, key, clock, disk and workers.',
    )
    .addHelpText(
      'after',
      '\nRun it as root or as the user of the service, with its settings. The exit code is 1 if a check fails; a warning keeps it 0.',
    );
  addSettingOptions(command, everySetting).action(async () => {
    const [{ examine }, { Installation }] = await Promise.all([
      import('../../doctor/examine.ts'),
      import('../../doctor/installation.ts'),
    ]);
    await using installation = new Installation(command, io);
    const examined = await examine(installation);
    const { format } = command.opts<{ readonly format: OutputFormat }>();
    await io.out(
      format === 'table'
        ? text(examined, await lookAt(command, io))
        : await render(
            examined.map((row) => ({ ...row })),
            format,
          ),
    );
    if (examined.some(({ state }) => state === 'fail')) throw new CommandExit(exitCodes.failed);
  });
}

/** Returns how findings are shown. Settings that are wrong name no zone, and are a finding of their own. */
function lookAt(command: Command, io: Io): Promise<Look> {
  return lookOf(command, io).catch(() => ({ timezone: 'UTC', colours: hasColours(io) }));
}

/** Writes a line for each finding, and the advice below it: the cells of a table would cut both. */
function text(examined: readonly Examined[], { colours, timezone }: Look): string {
  const stateWidth = widthOf(examined.map(({ state }) => state));
  const checkWidth = widthOf(examined.map(({ check }) => check));
  const margin = ' '.repeat(stateWidth + checkWidth);
  const lines = examined.flatMap(({ state, check, found, advice }) => [
    `${paintWord(colours, state.padEnd(stateWidth))}${check.padEnd(checkWidth)}${indented(sentenceWithLocalTimes(found, timezone), margin)}`,
    ...(advice === '' ? [] : [`${margin}→ ${indented(advice, margin)}`]),
  ]);
  return `${lines.join('\n')}\n`;
}

function widthOf(words: readonly string[]): number {
  return Math.max(...words.map(({ length }) => length)) + 2;
}

function indented(sentences: string, margin: string): string {
  return escapeControls(sentences).replaceAll('\n', `\n${margin}`);
}
