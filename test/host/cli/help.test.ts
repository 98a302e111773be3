import { expect } from 'chai';
import { helpOnKind } from '../../../host/cli/help/kind-help.ts';
import { contentsPage, readHandbook } from '../../../plugins/docs/pages/handbook.ts';
import { helpedCommands, helpProgram } from '../../support/docs/help-program.ts';
import { TestCli } from '../../support/program/test-cli.ts';

describe('horarium help', () => {
  let cli: TestCli;
  before(() => {
    cli = new TestCli();
  });
  after(() => cli[Symbol.dispose]());

  it('lists the commands and the topics of the handbook', async () => {
    const { code, out } = await cli.command('help');
    expect(code).to.equal(0);
    expect(out)
      .to.match(/^ {2}serve /m)
      .and.match(/^ {2}Reference +settings /m);
  });

  it('prints the page of a topic, by its name or its place', async () => {
    for (const topic of ['exit-codes', 'reference/exit-codes']) {
      const { code, out } = await cli.command(`help ${topic}`);
      expect([code, out.split('\n')[0]]).to.deep.equal([0, '# Exit codes']);
    }
  });

  it('prints each page without comments, and names the topics that it links to', async () => {
    const { pages } = await readHandbook();
    for (const { topic } of [contentsPage, ...pages]) {
      const { code, out } = await cli.command(`help ${topic}`);
      expect([topic, code]).to.deep.equal([topic, 0]);
      expect(out, topic).to.not.match(/<!--|\]\([^)]*\.md/);
    }
    expect((await cli.command('help roles')).out).to.include('(horarium help access)');
  });

  it('prints the help of a command, which no topic has the name of', async () => {
    expect((await cli.command('help app:list')).out).to.match(/^Usage: horarium app:list /);
  });

  it('shows a line for each command of every day first, and fits on 78 lines of 80 columns', async () => {
    const { out } = await cli.command('--help');
    const lines = out.trimEnd().split('\n');
    expect(lines.slice(2, 4).join()).to.match(/^Every day:, {2}summary {2,}Tell whether everything is on time/);
    expect(lines.length).to.be.at.most(78);
    for (const line of lines) expect(line.length, line).to.be.at.most(80);
  });

  it('names every command: on a line, among others, or as an operation of a kind', async () => {
    const { out } = await cli.command('help');
    const rows = out.split('\n\n').flatMap((part) =>
      part
        .replace(/\n {20,}/g, ' ')
        .split('\n')
        .slice(1),
    );
    const named = rows.flatMap((row) => {
      const [first = '', ...words] = row.trim().split(/ +/);
      const [verbs, kinds] = row.split(' of ').map((each) => each.trim().split(/ +/));
      const alike = (kinds ?? []).flatMap((kind) => (verbs ?? []).map((verb) => `${kind}:${verb}`));
      return [first, ...words, ...words.map((verb) => `${first}:${verb}`), ...alike];
    });
    expect(named).to.include.members(await helpedCommands());
  });

  it('wraps the topics to the width of the terminal', async () => {
    const linesAt = async (width: number) => (await cli.command('help', { width })).out.trimEnd().split('\n');
    const wide = await linesAt(240);
    expect(wide.length).to.be.below((await linesAt(100)).length);
    expect(wide.at(-1)).to.match(/^ {2}Contribute {2}source-layout .* figures$/);
    for (const line of await linesAt(60))
      expect(/^ {2,}[\w ]+ {2}(?!.*\.$)/.test(line) ? line.length : 0).to.be.at.most(60);
  });

  it('describes the commands of a kind, those of plugins included', async () => {
    const { code, out } = await cli.command('help app');
    expect(code).to.equal(0);
    expect([...out.matchAll(/^ {2}(\S+) {2,}[A-Z].*\.$/gm)].map(([, name]) => name).sort()).to.deep.equal([
      'app:delete',
      'app:export',
      'app:get',
      'app:import',
      'app:list',
      'app:save',
    ]);
    expect(out).to.match(/^These topics of the handbook are about it .*\n(?: {2}\S+ .*\n)* {2}apps /m);
  });

  it('describes the commands of a kind below the command of its name', async () => {
    for (const line of ['help pause', 'pause --help']) {
      const { out } = await cli.command(line);
      expect(out).to.match(/^Usage: horarium pause .*^Commands of pause .*^ {2}pause:list +List pauses/ms);
    }
  });

  it('describes every command of a kind on a line of at most 100 columns', async () => {
    const program = await helpProgram();
    for (const kind of new Set((await helpedCommands()).map((name) => name.replace(/:.*/, ''))))
      for (const line of (helpOnKind(program, kind) ?? '').split('\n')) expect(line.length, line).to.be.at.most(100);
  });

  it('has no topic with the name of a command, nor with that of a kind of records', async () => {
    const topics = (await readHandbook()).pages.map(({ topic }) => topic);
    const names = await helpedCommands();
    const kinds = names.filter((name) => name.endsWith(':list')).map((name) => name.replace(/:.*/, ''));
    expect(topics.filter((topic) => [...names, ...kinds].includes(topic))).to.deep.equal([]);
  });
});
