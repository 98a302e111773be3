import { mask } from '@horarium/core';
import type { Effective } from './read-config.ts';
import { type Setting, variableOf } from './setting.ts';
import { settings } from './settings.ts';

/** One row for each setting: its effective value, and who set it. Secrets are masked. */
export function effectiveRows(effective: readonly Effective[]): Record<string, unknown>[] {
  return effective.map(({ setting, text, source }) => ({
    setting: setting.name,
    value: shown(setting, text, source),
    from: source,
    variable: variableOf(setting.name),
    meaning: setting.description,
  }));
}

function shown(setting: Setting, text: string | null, source: string): string | null {
  if (text === null) return setting.initialNote ?? null;
  if (setting.secret && source !== 'default') return mask;
  return setting.show?.(text) ?? text;
}

/** The table of the README, in Markdown. */
export function settingsMarkdown(): string {
  const rows = settings.map((setting) => [
    `\`${variableOf(setting.name)}\``,
    defaultOf(setting),
    explained(setting, [setting.expected]),
  ]);
  const lines = [['Setting', 'Default', 'Meaning'], ['---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}

/** Explains a setting in `--help`. */
export function settingHelp(setting: Setting): string {
  return explained(setting, [setting.expected, `default: ${defaultOf(setting).replaceAll('`', '')}`]);
}

function explained({ description }: Setting, notes: readonly (string | null)[]): string {
  const known = notes.filter((note) => note !== null);
  return known.length === 0 ? description : `${description} (${known.join('; ')})`;
}

function defaultOf(setting: Setting): string {
  if (setting.initialNote) return setting.initialNote;
  return typeof setting.initial === 'string' ? `\`${setting.initial}\`` : 'none';
}
