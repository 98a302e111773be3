import { expect } from 'chai';
import { hasSystemFormat } from '../../../plugins/import-crontab/lines/system-format.ts';
import { realFiles } from '../../support/formats/example-files.ts';

const system: readonly (readonly [path: string | null, text: string])[] = [
  ['/etc/crontab', ''],
  ['/etc/cron.d/shop', '0 3 * * * backup --all'],
  ['/srv/cron.d/shop', 'x'],
  ['/srv/tab', 'PATH=/bin\n# note\n0 3 * * * root backup\n@daily daemon x\n@reboot root up'],
  ['/srv/tab', '@daily root x\n@daily nobody-of-that-name x'],
  [null, '*/5 1-3,4 * jan mon-fri root cd / && x'],
];
const ofUsers: readonly (readonly [path: string | null, text: string])[] = [
  ['/srv/tab', ''],
  ['/srv/tab', 'A=1\n# 0 3 * * * root x'],
  ['/srv/tab', '0 3 * * * backup'],
  // On Debian there is a user backup.
  ['/srv/tab', '0 3 * * * backup --all'],
  ['/srv/tab', '0 3 * * * root x\n0 4 * * * /bin/echo hello'],
  ['/srv/tab', '0 3 * * * nobody-of-that-name x'],
  [null, '@daily sh -c x'],
];

describe('The format of a crontab', () => {
  for (const [path, text] of system)
    it(`is that of the system at ${JSON.stringify(path)} with ${JSON.stringify(text)}`, () => {
      expect(hasSystemFormat(path, text)).to.equal(true);
    });
  for (const [path, text] of ofUsers)
    it(`is that of a user at ${JSON.stringify(path)} with ${JSON.stringify(text)}`, () => {
      expect(hasSystemFormat(path, text)).to.equal(false);
    });
  for (const { name, text } of realFiles('crontabs'))
    it(`is that of the system for ${name}, wherever it is`, () => {
      // The user www-data of awstats need not be on this machine.
      expect(hasSystemFormat(`/tmp/${name}`, text.replaceAll('www-data', 'daemon'))).to.equal(true);
    });
});
