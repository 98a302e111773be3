import { settingsMarkdown } from '../../../host/config/settings-table.ts';

const marks = /<!-- settings -->[\s\S]*<!-- \/settings -->/;

/** The README with its table of settings as it should be. */
export function withSettings(readme: string): string {
  return readme.replace(marks, () => `<!-- settings -->\n\n${settingsMarkdown()}\n\n<!-- /settings -->`);
}
