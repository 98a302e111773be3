import { AuditLog, type Core, RunTemplate, text, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { crontabImporter } from '../../../plugins/import-crontab/crontab-importer.ts';
import { readExample, realFiles } from '../../support/formats/example-files.ts';
import { runImport } from '../../support/program/run-import.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';

const actor = trustedActor('tester');
const initial = { company: 'acme', system: false, timezone: null };

describe('The importer of crontabs', () => {
  let core: Core;
  beforeEach(async () => {
    const memoryCore = new MemoryCore();
    Object.assign(memoryCore.executor, { options: { user: text(32) } });
    core = memoryCore;
    await core.records('Company').save(actor, { code: 'acme', name: 'Acme' });
  });

  const importCrontab = (crontab: string, { file = 'tab', ...options }: { file?: string; retire?: boolean } = {}) =>
    runImport(core, crontabImporter, [{ name: file, text: crontab }], { ...initial, ...options });
  const activeCommands = async () => {
    const rows = await core.store.read((tables) => tables.of(RunTemplate).find({ where: [['active', '=', true]] }));
    return rows.map(({ name }) => /: (.*) \(/.exec(name)?.[1]).sort();
  };

  for (const { name, text: crontab } of [
    { name: 'the example', text: readExample('crontabs/system') },
    ...realFiles('crontabs'),
  ])
    it(`changes nothing when ${name} is imported again`, async () => {
      const audit = () => core.store.read((tables) => tables.of(AuditLog).find());
      const options = { ...initial, system: true };
      await runImport(core, crontabImporter, [{ name: 'tab', text: crontab }], options);
      const before = await audit();
      const { rows, notes } = await runImport(core, crontabImporter, [{ name: 'tab', text: crontab }], options);
      expect(before).to.have.length.greaterThan(2);
      expect(await audit()).to.deep.equal(before);
      expect(rows.every(({ result }) => result === 'unchanged')).to.equal(true);
      expect(notes.filter((note) => !/@reboot|MAILTO|has no user/.test(note))).to.deep.equal([]);
    });

  it('names what cron does and the service does not: mail, users of this machine, the home folder', async () => {
    const crontab = `MAILTO=ops@example.com
0 3 * * * nobody-of-that-name /usr/bin/backup
0 4 * * * root /usr/bin/rotate
0 5 * * * root ./relative.sh
0 6 * * * root cd /srv && ./relative.sh
`;
    const { notes } = await runImport(core, crontabImporter, [{ name: 'tab', text: crontab }], {
      ...initial,
      system: true,
    });
    expect(notes).to.deep.equal([
      'tab: MAILTO=ops@example.com sends no mail here, it is only a variable of the jobs; write the action email into on_failure of the company or of the run templates (horarium help mail).',
      'tab: this machine has no user nobody-of-that-name; its jobs fail unless the machine of their worker has one.',
      "tab, line 4: the command names a path relative to the user's home folder, but jobs run in a temporary folder of their own; write the whole path, or begin with cd.",
    ]);
  });

  it('reports the template of an edited line as obsolete, and leaves it active beside the new one', async () => {
    await importCrontab('0 3 * * * backup\n0 4 * * * rotate\n');
    const { rows, notes } = await importCrontab('0 5 * * * backup\n0 4 * * * rotate\n');
    expect(rows.map(({ line, result }) => [line, result])).to.deep.equal([
      [1, 'created'],
      [2, 'unchanged'],
      [null, 'obsolete'],
    ]);
    expect(notes).to.deep.equal([
      'tab no longer holds run template 1 (tab: backup (0 3 * * *)): it still runs, and --retire switches it off.',
    ]);
    expect(await activeCommands()).to.deep.equal(['backup', 'backup', 'rotate']);
  });

  it('deactivates the templates of edited and removed lines with --retire', async () => {
    await importCrontab('0 3 * * * backup\n0 4 * * * rotate\n0 4 * * * rotate\n');
    const { rows, notes } = await importCrontab('0 5 * * * backup\n0 4 * * * rotate\n', { retire: true });
    expect(rows.slice(2)).to.deep.equal([
      { ...obsolete(1, '0 3 * * *', 'tab: backup (0 3 * * *)'), result: 'retired' },
      { ...obsolete(3, '0 4 * * *', 'tab: rotate (0 4 * * *)'), result: 'retired' },
    ]);
    expect(notes).to.deep.equal([
      'tab no longer holds run template 1 (tab: backup (0 3 * * *)): it is switched off.',
      'tab no longer holds run template 3 (tab: rotate (0 4 * * *)): it is switched off.',
    ]);
    expect(await activeCommands()).to.deep.equal(['backup', 'rotate']);
    const second = await importCrontab('0 5 * * * backup\n0 4 * * * rotate\n', { retire: true });
    expect([second.rows.length, second.notes]).to.deep.equal([2, []]);
  });

  const obsolete = (id: number, schedule: string, command: string) => ({
    ...{ file: 'tab', line: null, schedule, user: null, timezone: 'Europe/Prague', command },
    ...{ app: id, runtemplate: id },
  });

  it('deactivates every template of a file that has become empty', async () => {
    await importCrontab('0 3 * * * backup\n');
    const { rows } = await importCrontab('# nothing left\n', { retire: true });
    expect(rows.map(({ result }) => result)).to.deep.equal(['retired']);
    expect(await activeCommands()).to.deep.equal([]);
  });

  it('leaves templates of other files and companies, and those made by hand, unchanged', async () => {
    await core.records('Company').save(actor, { code: 'other', name: 'Other' });
    await importCrontab('0 3 * * * backup\n', { file: 'another' });
    await runImport(core, crontabImporter, [{ name: 'tab', text: '0 3 * * * backup\n' }], {
      ...initial,
      company: 'other',
    });
    const manual = { name: 'by: hand (x)', code: 'hand', app_id: 1, company_id: 1, interval: 'daily' };
    await core.records('RunTemplate').save(actor, manual);
    await importCrontab('0 9 * * * x\n');
    const { rows } = await importCrontab('# nothing left\n', { retire: true });
    expect(rows).to.have.length(1);
    expect(await activeCommands()).to.deep.equal(['backup', 'backup', 'hand']);
  });

  it('activates a retired template when its line returns, but not one that was deactivated by hand', async () => {
    await importCrontab('0 3 * * * backup\n0 4 * * * rotate\n');
    await core.records('RunTemplate').save(actor, { active: false }, { id: 2 });
    await importCrontab('0 4 * * * rotate\n', { retire: true });
    expect(await activeCommands()).to.deep.equal([]);
    const { rows, notes } = await importCrontab('0 3 * * * backup\n0 4 * * * rotate\n');
    expect(rows.map(({ result }) => result)).to.deep.equal(['updated', 'unchanged']);
    expect(notes).to.deep.equal([
      'tab, line 2: run template 2 (tab: rotate (0 4 * * *)) is switched off, so it does not run.',
    ]);
    expect(await activeCommands()).to.deep.equal(['backup']);
  });

  it('lists in a dry run the templates that it would deactivate, and changes nothing', async () => {
    await importCrontab('0 3 * * * backup\n');
    for (const [retire, result] of [
      [false, 'obsolete'],
      [true, 'retired'],
    ] as const) {
      const options = { ...initial, retire, dry_run: true };
      const { rows, notes } = await runImport(core, crontabImporter, [{ name: 'tab', text: '' }], options);
      expect(rows.map((row) => row.result)).to.deep.equal([result]);
      expect(notes.at(-1)).to.equal('Nothing was changed: this was a dry run.');
    }
    expect(await activeCommands()).to.deep.equal(['backup']);
  });
});
