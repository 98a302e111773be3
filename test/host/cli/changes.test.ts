import { expect } from 'chai';
import { eventually } from '../../support/mocha/eventually.ts';
import { SpawnedProgram } from '../../support/program/spawned-program.ts';
import { TestCli } from '../../support/program/test-cli.ts';

describe('horarium changes', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
  });
  after(() => cli[Symbol.dispose]());

  let companies = 0;
  /** Watches, and has companies saved until it prints the first change. @returns what it prints until Ctrl-C. */
  const watch = async (line: readonly string[]) => {
    const watching = new SpawnedProgram(['changes', ...line], cli);
    await eventually('a change is printed', async () => {
      await cli.command(`company:save --code c${++companies} --name Company`);
      return watching.out !== '';
    });
    watching.process.kill('SIGINT');
    await watching.ended;
    expect(watching.err).to.equal('');
    return watching.out;
  };

  it('prints a line for each change that another process makes, until Ctrl-C', async () => {
    const out = await watch(['--entity-type', 'Company', '--utc']);
    expect(out).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ create Company \d+: .*code.*\n/);
  });

  it('prints JSON, one line for each change, for programs', async () => {
    const [line = ''] = (await watch(['--format', 'json'])).split('\n');
    expect(JSON.parse(line)).to.include({ action: 'create', entity_type: 'Company' });
  });

  it('shows a user what she may see', async () => {
    await cli.command('user:save --json -', { input: JSON.stringify({ login: 'jane', email: 'jane@example.com' }) });
    const watching = new SpawnedProgram(['changes', '--as', 'jane'], cli);
    const all = await watch([]);
    expect(all).to.include('Company');
    watching.process.kill('SIGINT');
    await watching.ended;
    expect([watching.out, watching.err]).to.deep.equal(['', '']);
  });
});
