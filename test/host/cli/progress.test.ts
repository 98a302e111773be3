import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ProgressLine } from '../../../host/cli/progress-line.ts';
import { TestCli } from '../../support/program/test-cli.ts';

const erase = '\r\u001b[K';
const apps = (...names: readonly string[]) =>
  `apps:\n${names.map((name) => `  - { name: ${name}, executable: "true" }\n`).join('')}`;

describe('A line of progress', () => {
  const written = (terminal: boolean, work: (line: ProgressLine) => void) => {
    const pieces: string[] = [];
    const err = async (piece: string | Uint8Array) => void pieces.push(String(piece));
    work(new ProgressLine({ environment: {}, machine: { cores: 1, timezone: 'UTC', terminal }, err }));
    return pieces;
  };

  it('is written again for each percent, and not for each thing', () => {
    const count = (line: ProgressLine) => {
      for (let done = 1; done <= 40_000; done += 1) line.count(done, 40_000, 'rows');
    };
    const pieces = written(true, count);
    expect(pieces).to.have.length(101);
    expect(pieces[30]).to.equal(`${erase}12,000 of 40,000 rows, 30 %`);
    expect(written(false, count)).to.deep.equal([]);
  });

  it('is erased only where there is one', () => {
    expect(written(true, (line) => void line.end())).to.deep.equal([]);
    const shownAndEnded = (line: ProgressLine) => {
      line.show('a');
      void line.end();
    };
    expect(written(true, shownAndEnded)).to.deep.equal([`${erase}a`, erase]);
  });
});

describe('The progress of a command', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
  });
  after(() => cli[Symbol.dispose]());

  it('is erased before what the command prints', async () => {
    const { err } = await cli.command('apply -', { screen: true, input: apps('a', 'b') });
    expect(err).to.equal(`${erase}1 of 2 records, 50 %${erase}2 of 2 records, 100 %${erase}2 created, 0 unchanged.\n`);
  });

  it('is erased before the message of a command that fails', async () => {
    const { code, err } = await cli.command('apply -', {
      screen: true,
      input: `${apps('c')}  - { name: d, executable: 7 }\n`,
    });
    expect(code).to.equal(1);
    expect(err).to.match(/^\r.\[K1 of 2 records, 50 %\r.\[K2 of 2 records, 100 %\r.\[K[^\r]+$/s);
  });

  it('is shown by commands of plugins', async () => {
    writeFileSync(join(cli.folder, 'tab'), '0 5 * * * true\n0 6 * * * false\n');
    const { err } = await cli.command('crontab:sync tab --company acme', { screen: true });
    expect(err).to.contain(`${erase}2 of 2 lines, 100 %${erase}`);
  });

  it('is shown by a repetition of Tasks, a simulation, a backup, a verification of the audit log and a rotation of the vault', async () => {
    const shown = async (line: string) => (await cli.command(line, { terminal: true })).err;
    await cli.command('runtemplate:save --name t --code t --company-id 1 --app-id 1 --interval daily');
    await cli.command('backfill t --from 2026-01-01 --to 2026-01-03');
    await cli.command('task:waive 1 2 --reason x');
    expect(await shown('task:retry --template t --state cancelled --dry-run')).to.contain(`${erase}1 of 2 Tasks, 50 %`);
    expect(await shown('simulate --from 2027-01-01 --to 2027-01-02')).to.match(
      /^(?:\r.\[K\d runs, \d+ %)+\r.\[K\d runs of/s,
    );
    expect(await shown('backup b.jsonl')).to.match(/^\r.\[K[\d,]+ rows, \d+ %: /);
    expect(await shown('audit:verify')).to.match(/^\r.\[K\d+ of \d+ entries, \d+ %\r/);
    expect(await shown('vault:rotate')).to.match(/^\r.\[K\w+: \d+ checked, \d+ encrypted again, \d+ %\r/);
  });

  it('is nowhere in a pipe', async () => {
    for (const line of ['apply --dry-run -', 'simulate', 'audit:verify', 'backup c.jsonl', 'prune'])
      expect((await cli.command(line, { input: apps('e') })).err, line).not.to.contain('\r');
  });
});
