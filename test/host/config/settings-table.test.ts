import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { settings } from '../../../host/config/settings.ts';
import { settingsMarkdown } from '../../../host/config/settings-table.ts';
import { withSettings } from '../../support/readme-settings.ts';

describe('The table of settings', () => {
  it('names each setting as the environment knows it', () => {
    const table = settingsMarkdown();
    for (const { name } of settings) expect(table).to.include(`| \`HORARIUM_${name.toUpperCase()}\` |`);
  });

  it('stands in the README as it is; npm run readme puts it there', () => {
    const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
    expect(readme).to.include('`HORARIUM_DATABASE_URL`');
    expect(readme).to.equal(withSettings(readme));
  });
});
