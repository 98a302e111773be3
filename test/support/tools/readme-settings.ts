import { settingsMarkdown } from '../../../host/config/settings-table.ts';

const marks = /<!-- settings -->[\s\S]*<!-- \/settings -->/;

/** Replaces the table of settings in the README by an up-to-date one. */
export function withSettings(readme: string): string {
  return readme.replace(marks, () => `<!-- settings -->\n\n${settingsMarkdown()}\n\n<!-- /settings -->`);
}
