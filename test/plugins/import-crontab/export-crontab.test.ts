import { expect } from 'chai';
import fc from 'fast-check';
import { readExample, realFiles } from '../../support/formats/example-files.ts';
import { actor, CrontabWorld } from './crontab-world.ts';

describe('The export of a crontab', () => {
  let world: CrontabWorld;
  beforeEach(async () => {
    world = await CrontabWorld.open();
  });

  for (const { name, text } of [
    { name: 'the example', text: readExample('crontabs/system') },
    ...realFiles('crontabs'),
  ])
    it(`says again what ${name} says`, async () => {
      await world.sync(text, { system: true });
      const { text: written, notes } = await world.export({ system: true });
      expect(notes.filter((note) => !note.startsWith('CRON_TZ is known to cronie only'))).to.deep.equal([]);
      const again = await world.sync(written, { system: true });
      expect(again.filter((change) => !change.startsWith('unchanged'))).to.deep.equal([]);
    });

  it('writes each variable above the first line that needs it, and names each template', async () => {
    const text = `CRON_TZ=Asia/Tokyo
A=1
B=" two "
SHELL=/bin/bash
0 3 * * * echo "$A 100\\% $B" \\\\ '\\.'
SHELL=/bin/sh
CRON_TZ=""
@reboot cat%one%two \\%
*/5 1-3 */2 * mon x
`;
    await world.sync(text);
    expect((await world.export()).text).to.equal(`# tab-echo: echo "$A 100% $B" \\ '\\.'
SHELL=/bin/bash
A=1
B=" two "
CRON_TZ=Asia/Tokyo
0 3 * * * echo "$A 100\\% $B" \\ '\\.'
# tab-cat: cat
SHELL=/bin/sh
CRON_TZ=""
@reboot cat%one%two \\%
# tab-x: x
*/5 1-3 */2 * mon x
`);
  });

  it('writes what a shell runs to start other programs, and names what cron would not run so', async () => {
    const { core } = world;
    const environment = { NAME: { type: 'text', default: "it's" }, KEY: { type: 'secret' } };
    await core.records('App').save(actor, { name: 'Report', executable: 'report', arguments: ['a b', '--x=100%'] });
    await core
      .records('App')
      .save(actor, { name: 'Greet', executable: 'greet', environment: { NAME: environment.NAME } });
    await core
      .records('App')
      .save(actor, { name: 'Put', executable: 'put', arguments: ['{NAME}'], environment: { NAME: { type: 'text' } } });
    await core.records('App').save(actor, { name: 'Secret', executable: 'x', environment });
    const save = (fields: object) => core.records('RunTemplate').save(actor, { company_id: 1, app_id: 1, ...fields });
    await save({ code: 'daily', name: 'Daily', interval: 'daily' });
    await save({ code: 'placed', name: 'Placed', interval: 'daily', executor_options: { directory: '/srv/my shop' } });
    await save({ code: 'weekly', name: 'Weekly', interval: 'weekly', app_id: 2, environment: { NAME: "it's" } });
    await save({ code: 'adhoc', name: 'Ad hoc', interval: 'none' });
    await save({ code: 'late', name: 'Late', interval: 'daily', delay: 60 });
    await save({ code: 'put', name: 'Put', interval: 'daily', app_id: 3 });
    await save({ code: 'secret', name: 'Secret', interval: 'daily', app_id: 4 });
    await save({ code: 'last', name: 'Last', interval: 'custom', cron: '0 0 L * *' });
    await core.records('Company').save(actor, { environment: { NAME: 'x' } }, { id: 1 });
    await save({ code: 'ours', name: 'Ours', interval: 'daily', app_id: 2 });
    await save({ code: 'off', name: 'Off', interval: 'daily', active: false });
    const { text, notes } = await world.export();
    expect(text).to.equal(`# daily: Daily
@daily report 'a b' --x=100\\%
# placed: Placed
@daily cd '/srv/my shop' || exit; report 'a b' --x=100\\%
# weekly: Weekly
0 0 * * 1 NAME='it'\\''s' greet
`);
    expect(notes).to.have.members([
      'adhoc is left out: it has no times.',
      'late is left out: it has a delay or a jitter.',
      'put is left out: the variable NAME is put into its arguments, its input or another variable.',
      'secret is left out: its variable KEY is secret.',
      'last is left out: a crontab cannot say what it runs, or not after the lines before it.',
      'ours is left out: its variable NAME has the value of the company.',
    ]);
  });

  it('names a user in each line of the format of the system', async () => {
    await world.sync('0 3 * * * www-data x\n', { system: true });
    await core().save(actor, { name: 'Y', company_id: 1, app_id: 1, interval: 'hourly' });
    expect((await world.export({ system: true })).text)
      .to.match(/^@hourly root .*$/m)
      .and.match(/^0 3 \* \* \* www-data x$/m);

    function core() {
      return world.core.records('RunTemplate');
    }
  });

  it('leaves out all lines of a crontab that the variables of another one would change, and says how to write them', async () => {
    await world.sync('A=1\n0 3 * * * one\n', { file: 'a' });
    await world.sync('0 2 * * * bare\nB=1\n0 4 * * * two\n30 4 * * * two-too\n', { file: 'b' });
    await world.sync('0 5 * * * three\n', { file: 'c' });
    const { text, notes } = await world.export();
    expect(text)
      .to.match(/three.*one/s)
      .and.not.match(/two|bare/);
    expect(notes).to.deep.equal([
      '3 lines of web1:/etc/b are left out, because variables of others that are set before cannot be unset: write a crontab of its own with --crontab web1:/etc/b.',
    ]);
    const alone = await world.export({ crontab: 'web1:/etc/b' });
    expect([alone.text.match(/^[^#].* (bare|two|two-too)$/gm), alone.notes]).to.deep.equal([
      ['0 2 * * * bare', '0 4 * * * two', '30 4 * * * two-too'],
      [],
    ]);
  });

  it('writes the crontabs that need few variables first, so that as few as possible are left out', async () => {
    await world.sync('A=1\nB=1\n0 3 * * * both\n', { file: 'a' });
    await world.sync('A=2\n0 4 * * * one\n', { file: 'b' });
    await world.sync('PATH=/opt/bin\n0 5 * * * path\n', { file: 'c' });
    await world.sync('0 6 * * * none\n', { file: 'd' });
    const { text, notes } = await world.export();
    expect(text).to.match(/path.*none.*one.*both/s);
    expect(notes).to.deep.equal([]);
  });

  it('is read as what was written, whatever the commands and values are', async () => {
    const piece = fc.constantFrom('a', ' ', '%', '\\', '"', "'", '#', '$', '=', 'é');
    const command = fc.array(piece, { maxLength: 8 }).map((pieces) => `x${pieces.join('')}`);
    const input = fc.option(
      fc.array(fc.constantFrom('a', '%', '\n', ' '), { maxLength: 5 }).map((pieces) => pieces.join('')),
      { nil: null },
    );
    await fc.assert(
      fc.asyncProperty(command, input, command, async (run, stdin, value) => {
        const own = await CrontabWorld.open();
        await own.core.records('App').save(actor, {
          name: 'x',
          executable: '/usr/bin/env',
          arguments: ['SHELL=/bin/sh', 'PATH=/usr/bin:/bin', `V=${value}`, '/bin/sh', '-c', run],
          stdin,
        });
        await own.core
          .records('RunTemplate')
          .save(actor, { name: 'x', code: 'x', company_id: 1, app_id: 1, interval: 'daily' });
        const { text, notes } = await own.export();
        if (notes.length > 0) return;
        await own.sync(text, { file: 'again' });
        const [before, after] = await own.apps();
        expect(after?.arguments.at(-1)).to.equal(before?.arguments.at(-1));
        expect(after?.stdin).to.equal(stdin === null || stdin === '' || stdin.endsWith('\n') ? stdin : `${stdin}\n`);
        expect((await own.templates())[1]?.environment).to.deep.equal({ V: value });
      }),
      { numRuns: 60 },
    );
  });
});
