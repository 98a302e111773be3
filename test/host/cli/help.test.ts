import { expect } from 'chai';
import { contentsPage, readHandbook } from '../../../plugins/docs/pages/handbook.ts';
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
});
