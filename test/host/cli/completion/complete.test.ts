import { expect } from 'chai';
import { Argument, Command, Option } from 'commander';
import fc from 'fast-check';
import { complete } from '../../../../host/cli/completion/complete.ts';
import { offering } from '../../../../host/cli/completion/offers.ts';
import { splitWords } from '../../../../host/cli/completion/split-words.ts';
import { helpProgram } from '../../../support/docs/help-program.ts';

const topics = [{ word: 'hold-jobs', meaning: 'Pause' }];

/** A small program with options and arguments of every form. */
function smallProgram(): Command {
  const program = new Command('horarium').version('1.0.0').helpCommand(false);
  program
    .command('task:list')
    .description('List tasks, newest first.')
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'json']))
    .addOption(offering(new Option('--state <value>', 'filter'), { values: ['open', 'failed'], separated: true }))
    .option('--as <login>', 'act as');
  program
    .command('app:save')
    .description(`Create an app; ${'or change one, '.repeat(9)}`)
    .addOption(offering(new Option('--set <field=value>', 'any field; may be repeated'), { repeatable: true }))
    .addOption(offering(new Option('--executable <true|false>', 'flag'), { values: ['true', 'false'] }))
    .option('--json <file>', 'fields from a file')
    .option('--artifact <files...>', 'files')
    .option('--dry-run', 'change nothing')
    .addOption(new Option('--password [value]', 'refused').hideHelp());
  program.command('apply').argument('<file...>').option('--prune');
  program.command('task:get').argument('<id>');
  program
    .command('describe')
    .addArgument(offering(new Argument('[resource]'), { values: ['app', 'apptype'] }))
    .addArgument(new Argument('[depth]').choices(['one', 'all']));
  program.command('secret', { hidden: true });
  return program;
}

/** Writes what may stand at the end of a line: its words, and `:files`. */
function offered(program: Command, line: string): string {
  const { candidates, files } = complete(program, splitWords(`horarium ${line}`), topics);
  return [...candidates.map(({ word }) => word), ...(files ? [':files'] : [])].join(' ');
}

describe('The word at the cursor', () => {
  const commands = 'task:list app:save apply task:get describe help';
  const ofSave = '--set --executable --json --artifact --dry-run --help -h';

  it('is completed to what may stand there', () => {
    const lines: [line: string, words: string][] = [
      ['', commands],
      ['task:', 'task:list task:get'],
      ['task:l', 'task:list'],
      ['"task:l', 'task:list'],
      ['sec', ''],
      ['-', '--version -V --help -h'],
      ['--v', '--version'],
      ['--version ', ''],
      ['help ', `${commands} hold-jobs task app`],
      ['help a', 'app:save apply app'],
      ['help task:g', 'task:get'],
      ['help task:get ', ''],
      ['nonsense ', ''],
      ['nonsense --f', ''],
      ['secret ', '--help -h'],
      ['task:list ', '--format --state --as --help -h'],
      ['task:list --f', '--format'],
      ['task:list --format ', 'table json'],
      ['task:list --format j', 'json'],
      ['task:list --format=', '--format=table --format=json'],
      ['task:list --format=j', '--format=json'],
      ['task:list --format json --f', ''],
      ['task:list --format=json -', '--state --as --help -h'],
      ['task:list --as -', ''],
      ['task:list --as --state --f', '--format'],
      ['task:list --state ', 'open failed'],
      ['task:list --state open,', 'open,failed'],
      ['task:list --state=open,f', '--state=open,failed'],
      ['task:list --nonsense=', ''],
      ['task:list -- ', ''],
      ['task:list x', ''],
      ['app:save ', ofSave],
      ['app:save --set a=b ', ofSave],
      ['app:save --pass', ''],
      ['app:save --password x --dry-run --j', '--json'],
      ['app:save --executable ', 'true false'],
      ['app:save --executable t', 'true'],
      ['app:save --dry-run=', ''],
      ['app:save --json ', ':files'],
      ['app:save --json=', ':files'],
      ['app:save --artifact a ', ':files'],
      ['app:save --artifact a --j', '--json'],
      ['app:save > ', ':files'],
      ['apply ', ':files'],
      ['apply a b ', ':files'],
      ['apply a --', '--prune --help'],
      ['apply -- ', ':files'],
      ['apply -- --', ':files'],
      ['task:get ', ''],
      ['task:get 7 ', '--help -h'],
      ['describe ', 'app apptype'],
      ['describe app', 'app apptype'],
      ['describe app ', 'one all'],
      ['describe -- app o', 'one'],
      ['describe --help=x app a', 'all'],
      ['A=1 ', ''],
    ];
    const program = smallProgram();
    for (const [line, words] of lines) expect([line, offered(program, line)]).to.deep.equal([line, words]);
  });

  it('is explained by the first sentence of its description, which may be cut', () => {
    const meanings = complete(smallProgram(), splitWords('horarium '), topics).candidates;
    expect(meanings.slice(0, 2)).to.deep.equal([
      { word: 'task:list', meaning: 'List tasks, newest first' },
      { word: 'app:save', meaning: 'Create an app; or change one, or change one, or change one …' },
    ]);
  });

  it('is never completed to a word that a terminal would act on', () => {
    const program = new Command('horarium').helpCommand(false);
    program.command('app:list').addOption(new Option('--order <order>').choices(['a\u001B[2J', 'b\nc', 'd']));
    expect(offered(program, 'app:list --order ')).to.equal('d');
    program.command('app:get').description('Shows\tan\u001B app\nhere. And more.');
    const [, get] = complete(program, splitWords('horarium app:'), []).candidates;
    expect(get).to.deep.equal({ word: 'app:get', meaning: 'Shows an app here' });
  });

  it('is completed only to words that begin with it, whatever is typed', () => {
    const program = smallProgram();
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(...program.commands.map((command) => command.name())),
      fc.constantFrom('help', '--', '-', '--state', '--json=', '--artifact', '--set', "'", '"', '\\', '>', 'open,f'),
    );
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const line = splitWords(['horarium', ...words].join(' '));
        for (const { word: found } of complete(program, line, topics).candidates)
          expect(found.startsWith(line.current)).to.equal(true);
      }),
    );
  });

  it('is completed to every command and option that help lists', async () => {
    const program = await helpProgram();
    const help = program.createHelp();
    const names = help.visibleCommands(program).map((command) => command.name());
    expect(offered(program, '').split(' ')).to.deep.equal([...names, 'help']);
    for (const command of help.visibleCommands(program)) {
      const flags = help.visibleOptions(command).flatMap(({ long, short }) => [long, short].filter(Boolean));
      expect(offered(program, `${command.name()} -`).split(' '), command.name()).to.deep.equal(flags);
    }
  });

  it('is completed to values of fields, filters and settings', async () => {
    const program = await helpProgram();
    const lines: [line: string, words: string][] = [
      ['runtemplate:save --active ', 'true false'],
      ['runtemplate:save --overlap ', 'forbid allow replace'],
      ['runtemplate:list --active t', 'true'],
      ['task:list --state fulfilled,f', 'fulfilled,fulfilled_late fulfilled,failed'],
      ['task:list --fields id,sta', 'id,state'],
      ['task:retry --state fai', 'failed'],
      ['serve --sqlite-synchronous ', 'full normal'],
      ['serve --tls-cert ', ':files'],
      ['serve --config=', ':files'],
      ['job:output 1 --stream ', 'stdout stderr'],
      ['crontab:sync ', ':files'],
      ['describe runt', 'runtemplate'],
      ['why t', 'task'],
      ['completion ', 'bash zsh fish'],
    ];
    for (const [line, words] of lines) expect([line, offered(program, line)]).to.deep.equal([line, words]);
  });
});
