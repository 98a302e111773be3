import { RunTemplate } from '@horarium/core';
import { fits } from '@horarium/core/plugin';
import { expect } from 'chai';
import fc from 'fast-check';
import { isNameOfEdited, nameLines } from '../../../plugins/import-crontab/lines/line-names.ts';

const line = fc.record({
  file: fc.constantFrom('/etc/cron.d/shop', 'web', 'x'.repeat(300), '-'),
  schedule: fc.constantFrom('0 3 * * *', '@daily', '@reboot'),
  command: fc.constantFrom('backup', '/bin/ls /srv', 'y'.repeat(300), '\u0007', 'a\nb'),
});
const others = fc.dictionary(
  fc.constantFrom('backup', 'backup (0 3 * * *)', 'backup (web)', 'backup (2)', '/bin/ls /srv (shop)'),
  fc.constantFrom('0 3 * * *', '@daily'),
);

describe('The names of lines', () => {
  it('differ from each other and from those of other templates, and can be saved', () =>
    fc.assert(
      fc.property(fc.array(line), others, (lines, taken) => {
        const names = [...nameLines(lines, new Map(Object.entries(taken))).values()];
        expect(names).to.have.length(lines.length);
        expect(new Set([...names, ...Object.keys(taken)]).size).to.equal(names.length + Object.keys(taken).length);
        expect(names.filter((name) => !fits(RunTemplate, 'name', name))).to.deep.equal([]);
      }),
    ));

  it('follow the command of a line, and stay while that is the same, unless they have its schedule', () =>
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), others, (lines, taken) => {
        for (const [was, name] of nameLines(lines, new Map(Object.entries(taken)))) {
          expect(isNameOfEdited(name, was, { ...was, command: 'other' })).to.equal(true);
          expect(isNameOfEdited(name, was, was)).to.equal(false);
          const later = isNameOfEdited(name, was, { ...was, schedule: '0 9 * * *' });
          expect(later).to.equal(name.endsWith(`(${was.schedule})`));
        }
      }),
    ));

  it('stay where a person has chosen them', () => {
    const was = { file: 'shop', schedule: '0 3 * * *', command: 'backup' };
    const is = { ...was, command: 'backup --all' };
    for (const name of ['Night', 'backup of the shop', 'backup (weekly)'])
      expect(isNameOfEdited(name, was, is)).to.equal(false);
  });
});
