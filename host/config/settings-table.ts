import { mask } from '@horarium/core';
import { text } from './kinds.ts';
import type { Effective } from './read-config.ts';
import { type Setting, variableOf } from './setting.ts';
import { settings } from './settings.ts';

/** One line for each setting: what holds, and who said so. Secrets are masked. */
export function effectiveRows(effective: readonly Effective[]): Record<string, unknown>[] {
  return effective.map(({ setting, text, source }) => ({
    setting: setting.name,
    value: shown(setting, text, source),
    from: source,
    variable: variableOf(setting.name),
    meaning: setting.meaning,
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
    initialWords(setting),
    explained(setting, kindWords(setting)),
  ]);
  const lines = [['Setting', 'Default', 'Meaning'], ['---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}

/** What `--help` says of a setting. */
export function settingHelp(setting: Setting): string {
  return explained(setting, [...kindWords(setting), `default: ${initialWords(setting).replaceAll('`', '')}`]);
}

function explained({ meaning }: Setting, notes: readonly string[]): string {
  return notes.length === 0 ? meaning : `${meaning} (${notes.join('; ')})`;
}

/** Of a text there is nothing to say. */
function kindWords({ kind }: Setting): string[] {
  return kind === text.kind ? [] : [kind];
}

function initialWords(setting: Setting): string {
  if (setting.initialNote) return setting.initialNote;
  return typeof setting.initial === 'string' ? `\`${setting.initial}\`` : 'none';
}
