import { expect } from 'chai';
import { localTimezone } from '../../../host/cli/process-io.ts';

describe('The time zone of the machine', () => {
  const { TZ: own } = process.env;
  const set = (zone: string | undefined) => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  };
  afterEach(() => set(own));

  for (const zone of [undefined, 'UTC', 'Etc/UTC', ':UTC', 'Zulu', 'Europe/Prague', 'CET-1CEST'])
    it(`is that of Intl with TZ=${zone}`, () => {
      set(zone);
      expect(localTimezone()).to.equal(new Intl.DateTimeFormat().resolvedOptions().timeZone);
    });
});
