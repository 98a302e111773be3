import { stripVTControlCharacters, styleText } from 'node:util';
import { expect } from 'chai';
import { render } from '../../../host/cli/output.ts';
import { TestCli } from '../../support/program/test-cli.ts';

const at = (style: 'red' | 'green' | 'yellow' | 'bold', text: string) =>
  styleText(style, text, { validateStream: false });
const look = { timezone: 'UTC', colours: true };
const plan = ['apply', '--dry-run', '-'];
const input = 'apps: [{ name: a, executable: "false" }, { name: new, executable: "true" }]';

describe('Colours', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('app:save --name a --executable true');
  });
  after(() => cli[Symbol.dispose]());

  it('show headings and states at a terminal, and leave the columns where they are', async () => {
    const rows = [
      { state: 'failed', name: 'a' },
      { state: 'fulfilled_late', name: 'failed' },
    ];
    const shown = await render(rows, 'table', {}, look);
    expect(stripVTControlCharacters(shown)).to.equal(await render(rows, 'table'));
    expect(shown).to.equal(
      `${at('bold', 'state')}           ${at('bold', 'name')}\n${at('red', 'failed')}          a\n${at('yellow', 'fulfilled_late')}  failed\n`,
    );
  });

  it('are in no text of a record that could fake them', async () => {
    expect(await render({ state: '\u001b[31mfailed' }, 'table', {}, look)).to.equal('state  \\x1b[31mfailed\n');
  });

  it('show what an apply creates and changes', async () => {
    const { out } = await cli.run(plan, { screen: true, input });
    expect(out).to.contain(`${at('green', 'create    ')}  app `);
    expect(out).to.contain(`executable: ${at('red', 'true')} → ${at('green', 'false')}\n`);
    // A dry run makes up another id each time.
    const shown = (text: string) => stripVTControlCharacters(text).replace(/[0-9a-f-]{36}/g, 'ID');
    expect(shown(out)).to.equal(shown((await cli.run(plan, { input })).out));
  });

  it('show the states of the doctor', async () => {
    expect((await cli.command('doctor', { screen: true })).out.split(' ')[0]).to.equal(at('green', 'ok').slice(0, 7));
  });

  it('are in no pipe, on no dumb terminal, and not where NO_COLOR is set', async () => {
    for (const terminal of [
      { screen: false },
      { screen: true, environment: { TERM: 'dumb' } },
      { screen: true, environment: { NO_COLOR: '1' } },
    ])
      expect((await cli.command('app:list', terminal)).out, JSON.stringify(terminal)).to.match(/^id /);
    const { out } = await cli.command('app:list', { screen: true, environment: { NO_COLOR: '' } });
    expect(out.startsWith(at('bold', 'id'))).to.equal(true);
  });

  it('are in nothing that programs read', async () => {
    for (const format of ['json', 'yaml', 'csv'])
      expect((await cli.command(`app:list --format ${format}`, { screen: true })).out).not.to.contain('\u001b');
  });
});
