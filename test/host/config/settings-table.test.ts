import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Setting } from '../../../host/config/setting.ts';
import { settings } from '../../../host/config/settings.ts';
import { settingHelp, settingsMarkdown } from '../../../host/config/settings-table.ts';
import { withSettings } from '../../support/tools/readme-settings.ts';

describe('The table of settings', () => {
  it('names each setting as the environment knows it', () => {
    const table = settingsMarkdown();
    for (const { name } of settings) expect(table).to.include(`| \`HORARIUM_${name.toUpperCase()}\` |`);
  });

  it('tells in the help of a command what a setting takes, and what holds without it', () => {
    const help = (name: string) => settingHelp(settings.find((setting) => setting.name === name) as Setting);
    expect(help('port')).to.match(/^Port .* \(a whole number from 0 to 65535; default: 8080\)$/);
    expect(help('host')).to.match(/\(default: 127\.0\.0\.1\)$/);
    expect(help('workers')).to.match(/default: number of cores × 4\)$/);
    expect(help('tls_cert')).to.match(/\(default: none\)$/);
  });

  it('stands in the README as it is; npm run readme puts it there', () => {
    const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
    expect(readme).to.include('`HORARIUM_DATABASE_URL`');
    expect(readme).to.equal(withSettings(readme));
  });
});
