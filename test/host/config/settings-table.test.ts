import { expect } from 'chai';
import type { Setting } from '../../../host/config/setting.ts';
import { settings } from '../../../host/config/settings.ts';
import { settingHelp, settingsMarkdown } from '../../../host/config/settings-table.ts';

describe('settings table', () => {
  it('names each setting by its environment variable', () => {
    const table = settingsMarkdown();
    for (const { name } of settings) expect(table).to.include(`| \`HORARIUM_${name.toUpperCase()}\` |`);
  });

  it('explains the expected value and the default of a setting in the help of a command', () => {
    const help = (name: string) => settingHelp(settings.find((setting) => setting.name === name) as Setting);
    expect(help('port')).to.match(/^Port .* \(a whole number from 0 to 65535; default: 8080\)$/);
    expect(help('host')).to.match(/\(default: 127\.0\.0\.1\)$/);
    expect(help('workers')).to.match(/default: number of cores × 4\)$/);
    expect(help('tls_cert')).to.match(/\(default: none\)$/);
  });
});
