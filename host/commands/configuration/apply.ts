import type { AppliedConfiguration, ConfigurationAction, ConfigurationChange } from '@horarium/core';
import type { Command } from 'commander';
import { addStoreCommand, type Cli } from '../../cli/command-session.ts';
import { isRecord, type OutputFormat, print } from '../../cli/output.ts';
import { ProgressLine } from '../../cli/progress-line.ts';
import { readFiles } from '../../cli/read-files.ts';
import { hasColours, paint, paintWord } from '../../cli/shown/colours.ts';
import { escapeControls, truncate } from '../../cli/shown/terminal-text.ts';
import { readConfiguration } from './configuration-yaml.ts';

/** How many characters of a value are shown. */
const maxValue = 80;

const words: Readonly<Record<ConfigurationAction, readonly [planned: string, done: string]>> = {
  create: ['to create', 'created'],
  update: ['to update', 'updated'],
  delete: ['to delete', 'deleted'],
  deactivate: ['to make inactive', 'made inactive'],
  keep: ['kept', 'kept'],
};

interface ApplyCommandOptions {
  readonly dryRun: boolean;
  readonly prune: boolean;
  readonly format: OutputFormat;
}

/** Adds `apply`, which makes the service as files say. */
export function addApplyCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'apply')
    .description('Make the service as YAML files say, in one transaction.')
    .argument('<file...>', 'files as "horarium export" writes them; - is standard input')
    .option('--dry-run', 'change nothing, and print what would be changed', false)
    .option('--prune', 'also delete what is not in the files, of the kinds and companies that are', false)
    .addHelpText(
      'after',
      `
A record is known by its company and its UUID, code or name, so that another code is another record. A field that is left out
gets its default, unless it holds secrets; a masked secret stays as it is. All files are applied, or nothing. --prune makes
inactive what has a history, and never deletes a company.

Examples:
  horarium apply --dry-run horarium.yaml
  horarium apply --prune acme/*.yaml`,
    );
  command.action(async (names: string[]) => {
    const { dryRun, prune, format } = command.opts<ApplyCommandOptions>();
    const { records, kinds } = await readConfiguration(await readFiles(cli.io, names));
    await using session = await cli.open(command);
    const { core, actor } = session;
    await using progress = new ProgressLine(cli.io);
    const applied = await core.configuration.apply(actor, records, {
      dryRun,
      prune,
      kinds,
      onProgress: (done, total) => progress.count(done, total, 'records'),
    });
    await progress.end();
    if (format === 'table') await cli.io.out(describeApplied(applied, hasColours(cli.io)));
    else await print(cli.io, command, { dry_run: dryRun, ...applied }, { embedded: { changes: [] } });
    for (const warning of warningsOf(applied, core.resources))
      await cli.io.err(`Warning: ${escapeControls(warning)}\n`);
    await cli.io.err(`${countsOf(applied, dryRun)}\n`);
    if (dryRun) await cli.io.err('Nothing was changed: this was a dry run.\n');
  });
}

/** One line for each record, and below it one for each value that changes. */
function describeApplied({ changes }: AppliedConfiguration, colours: boolean): string {
  return changes
    .filter(isShown)
    .flatMap((change) => {
      const { action, name, reason } = change;
      return [
        `${paintWord(colours, action.padEnd(10))}  ${escapeControls(name)}`,
        ...(reason === null ? [] : [`              ${escapeControls(reason)}`]),
        ...linesOf(change, colours).map((line) => `              ${line}`),
      ];
    })
    .map((line) => `${line}\n`)
    .join('');
}

/** Leaves out what stays as it is for no reason: it has only warnings. */
function isShown({ action, reason }: ConfigurationChange): boolean {
  return action !== 'keep' || reason !== null;
}

/** One line for each value that changes, with the control characters escaped. */
function linesOf({ action, changes, secrets }: ConfigurationChange, colours: boolean): string[] {
  if (action !== 'update') return [];
  return [
    ...Object.entries(changes)
      .flatMap(([field, [before, after]]) => differences(field, before, after))
      .map(
        ({ path, before, after }) =>
          `${escapeControls(path)}: ${paint(colours, 'red', shown(before))} → ${paint(colours, 'green', shown(after))}`,
      ),
    ...secrets.map((place) => `${escapeControls(place)}: another secret`),
  ];
}

/** A value that differs, by its place: `environment.PATH`. */
interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Lists the values that differ, those of structured data one by one. */
function differences(path: string, before: unknown, after: unknown): Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && [...before, ...after].every(isRecord))
    return Array.from({ length: Math.max(before.length, after.length) }).flatMap((_, index) =>
      differences(`${path}[${index}]`, before[index], after[index]),
    );
  if (!isRecord(before) || !isRecord(after)) return [{ path, before, after }];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => differences(`${path}.${key}`, before[key], after[key]));
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '(none)';
  const text = typeof value === 'string' ? value.replaceAll('\n', '⏎') : JSON.stringify(value);
  return escapeControls(truncate(text, maxValue));
}

function* warningsOf(
  { changes }: AppliedConfiguration,
  resources: readonly { readonly name: string; readonly names: { readonly singular: string } }[],
): Generator<string> {
  for (const { kind, id, name, missing, warnings } of changes) {
    yield* warnings.map((warning) => `${name}: ${warning}`);
    if (missing.length === 0) continue;
    const command = `horarium ${resources.find((resource) => resource.name === kind)?.names.singular}:save --id ${id} --json FILE`;
    const [verb, pronoun] = missing.length === 1 ? ['is', 'it'] : ['are', 'them'];
    yield `${name}: ${missing.join(', ')} ${verb} secret and not set here; "${command}" sets ${pronoun}.`;
  }
}

function countsOf({ changes, unchanged }: AppliedConfiguration, dryRun: boolean): string {
  const counts = (Object.keys(words) as ConfigurationAction[]).flatMap((action) => {
    const count = changes.filter((change) => change.action === action && isShown(change)).length;
    return count > 0 ? [`${count} ${words[action][dryRun ? 0 : 1]}`] : [];
  });
  return `${[...counts, `${unchanged} unchanged`].join(', ')}.`;
}
