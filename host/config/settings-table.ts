import { mask } from '@horarium/core';
import type { Effective } from './read-config.ts';
import { fileVariableOf, type Setting, variableOf } from './setting.ts';
import { settings } from './settings.ts';

/** Describes each setting in one row: its effective value, and its source. Secrets are masked. */
export function effectiveRows(effective: readonly Effective[]): Record<string, unknown>[] {
  return effective.map(({ setting, text, source }) => ({
    setting: setting.name,
    value: displayedValue(setting, text, source),
    from: source,
    variable: variableOf(setting.name),
    meaning: setting.description,
  }));
}

function displayedValue(setting: Setting, text: string | null, source: string): string | null {
  if (text === null) return setting.defaultNote ?? null;
  if (setting.secret === 'whole' && source !== 'default') return mask;
  return setting.show?.(text) ?? text;
}

/** Writes the table of settings for the handbook, in Markdown. */
export function settingsMarkdown(): string {
  const rows = settings.map((setting) => [
    `\`${variableOf(setting.name)}\``,
    defaultOf(setting),
    explain(setting, [setting.expected, fileNote(setting)]),
  ]);
  const lines = [['Setting', 'Default', 'Meaning'], ['---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}

/** Explains a setting, for `--help`. */
export function settingHelp(setting: Setting): string {
  return explain(setting, [setting.expected, fileNote(setting), `default: ${defaultOf(setting).replaceAll('`', '')}`]);
}

function fileNote({ name, secret }: Setting): string | null {
  return secret ? `${fileVariableOf(name)} names a file that holds it` : null;
}

function explain({ description }: Setting, notes: readonly (string | null)[]): string {
  const details = notes.filter((note) => note !== null);
  return details.length === 0 ? description : `${description} (${details.join('; ')})`;
}

function defaultOf(setting: Setting): string {
  if (setting.defaultNote) return setting.defaultNote;
  return typeof setting.default === 'string' ? `\`${setting.default}\`` : 'none';
}
