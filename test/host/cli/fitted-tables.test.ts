import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import stringWidth from 'string-width';
import { fitColumns, truncateToWidth } from '../../../host/cli/shown/fit-columns.ts';
import { SpawnedProgram } from '../../support/program/spawned-program.ts';
import { TestCli } from '../../support/program/test-cli.ts';
import { installHorarium } from '../../support/program/typed-shell.ts';

const hasScript = spawnSync('script', ['--version']).status === 0;

const text = (heading: string, ...cells: readonly string[]) => ({ heading, cells, isRigid: false });
const widths = (...args: Parameters<typeof fitColumns>) => fitColumns(...args).map(({ width }) => width);

describe('The columns of a table at a terminal', () => {
  it('stay as they are where they fit', () => {
    const columns = [text('name', 'a'.repeat(60)), text('note', 'b'.repeat(58))];
    expect(widths(columns, { width: 120, secondary: ['note'] })).to.deep.equal([null, null]);
  });

  it('share the width, so that only the widest are truncated', () => {
    const columns = [text('code', 'c'.repeat(14)), text('name', 'a'.repeat(60)), text('note', 'b'.repeat(70))];
    expect(widths(columns, { width: 80, secondary: [] })).to.deep.equal([null, 31, 31]);
  });

  it('are left out in their order where the others would get too short', () => {
    const columns = ['a', 'b', 'c', 'd'].map((heading) => text(heading, heading.repeat(50)));
    const kept = fitColumns(columns, { width: 40, secondary: ['c', 'a', 'b'] });
    expect(kept).to.deep.equal([
      { heading: 'b', width: 19 },
      { heading: 'd', width: 19 },
    ]);
  });

  it('truncate no time, no number and no flag', () => {
    const columns = [text('at', '2026-11-27 14:05:00+01:00', ''), text('id', '12'.repeat(10)), text('on', 'false')];
    expect(widths(columns, { width: 20, secondary: [] })).to.deep.equal([null, null, null]);
  });

  it('count characters of double width twice', () => {
    expect(widths([text('name', '夜間バックアップ全体')], { width: 19, secondary: [] })).to.deep.equal([19]);
  });

  it('are truncated between characters, also those of several parts', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(truncateToWidth(`${family}${family}🎉🇩🇪`, 6)).to.equal(`${family}${family}…`);
    expect(truncateToWidth('🎉🎉', 4)).to.equal('🎉🎉');
    expect(truncateToWidth('夜間バックアップ', 6)).to.equal('夜間…');
    expect(truncateToWidth('🎉🎉', 1)).to.equal('…');
  });
});

describe('Lists of records', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
    await cli.command('app:save --name a --executable true');
    const template = ['--code=nightly-backup-of-the-shop', '--name=夜間バックアップ', '--company-id=1', '--app-id=1'];
    await cli.run(['runtemplate:save', ...template, '--interval=custom', '--cron=*/30 0-12 1-15 * *']);
    await cli.command('backfill 1 --from 2026-01-01 --to 2026-01-03');
    await cli.run(['task:waive', '1', '2', '--reason', 'the shop was closed over the whole of the holidays']);
  });
  after(() => cli[Symbol.dispose]());

  const terminal = (width: number) => ({ width, environment: { NO_COLOR: '1' } });
  const linesAt = async (line: string, width: number) =>
    (await cli.command(line, terminal(width))).out.trimEnd().split('\n');
  const headings = ([first = '']: readonly string[]) => first.split(/ +/);

  it('are no wider than the terminal, and have the columns that are needed most', async () => {
    for (const width of [80, 120])
      for (const list of ['task:list', 'auditlog:list', 'job:list', 'runtemplate:list', 'app:list', 'company:list'])
        for (const line of await linesAt(list, width))
          expect(stringWidth(line), `${list} in ${width}: ${line}`).to.be.at.most(width);
    expect(headings(await linesAt('task:list', 80))).to.include.members(['id', 'window_start', 'state', 'reason']);
    expect(headings(await linesAt('auditlog:list', 80))).to.include.members([
      'created_at',
      'actor',
      'action',
      'forged',
    ]);
    expect(headings(await linesAt('auditlog:list', 120))).to.include('changes');
  });

  it('mark what is truncated', async () => {
    const [, first = ''] = await linesAt('task:list --state cancelled', 120);
    expect(first).to.match(/ waived by [^…]*…$/);
  });

  it('have every column in a pipe and on a wide terminal', async () => {
    const piped = await cli.command('task:list --state cancelled');
    expect(piped.out).to.contain('the shop was closed over the whole of the holidays');
    expect(headings(piped.out.split('\n'))).to.include('fulfilled_at');
    expect((await linesAt('task:list --state cancelled', 300)).join('\n')).to.equal(piped.out.trimEnd());
  });

  it('have every column that --fields names', async () => {
    const fields = 'id,runtemplate,window_start,deadline,window_end,fulfilled_at,state';
    expect(headings(await linesAt(`task:list --fields ${fields}`, 80))).to.deep.equal(fields.split(','));
  });

  it('fit the terminal in a record, too', async () => {
    const lines = await linesAt('task:get 1', 80);
    const jobs = lines.slice(lines.indexOf('jobs:') + 1);
    expect(jobs).to.have.length(2);
    for (const line of jobs) expect(stringWidth(line)).to.be.at.most(80);
    expect(headings(jobs)).to.include('reason').and.not.include('exit_code');
  });

  it('fit a terminal of its own size, and have every column where it knows none', async function () {
    if (!hasScript) this.skip();
    installHorarium(cli.folder);
    const wide = async (columns: number) => {
      const script = { node: 'script', program: '-qec' };
      const line = `stty cols ${columns}; ./horarium task:list --state cancelled`;
      const program = new SpawnedProgram([line, '/dev/null'], cli, script);
      expect(await program.ended, program.err).to.equal(0);
      return stripVTControlCharacters(program.out).split(/\r?\n/);
    };
    for (const line of await wide(80)) expect(stringWidth(line)).to.be.at.most(80);
    expect(headings(await wide(0))).to.include('fulfilled_at');
  });
});
