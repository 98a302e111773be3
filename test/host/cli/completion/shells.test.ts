import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../../../support/mocha/temporary-folder.ts';
import { installHorarium, TypedShell } from '../../../support/program/typed-shell.ts';
import { moduleOf } from '../../../support/program/unusable-plugins.ts';

/** The shells of the machine, which `.ci/run` installs; their tests are skipped without them. */
const { HORARIUM_TEST_ZSH: zsh, HORARIUM_TEST_FISH: fish } = process.env;
const hasScript = spawnSync('script', ['--version']).status === 0;

/** Lines, and what a press of the Tab key makes of them in bash and zsh. */
const lines: readonly (readonly [typed: string, line: string])[] = [
  ['horarium task:l', 'horarium task:list '],
  ['horarium "task:l', 'horarium "task:list" '],
  ['horarium task\\:l', 'horarium task:list '],
  ['horarium greet', 'horarium greet:all '],
  ['horarium help hold', 'horarium help hold-jobs '],
  ['horarium task:list --sta', 'horarium task:list --state '],
  ['horarium task:list --format js', 'horarium task:list --format json '],
  ['horarium task:list --format=js', 'horarium task:list --format=json '],
  ['horarium task:list --state open,fa', 'horarium task:list --state open,failed '],
  ['horarium apply two', 'horarium apply two\\ words.yaml '],
  ['horarium app:save --json two', 'horarium app:save --json two\\ words.yaml '],
  ['horarium app:save --json=two', 'horarium app:save --json=two\\ words.yaml '],
  ['horarium task:list > two', 'horarium task:list > two\\ words.yaml '],
  ['A=1 horarium task:l', 'A=1 horarium task:list '],
  ['true && horarium task:l', 'true && horarium task:list '],
  ['horarium nonsense tw', 'horarium nonsense tw'],
  ['horarium task:get tw', 'horarium task:get tw'],
  ['horarium hostile --value ', 'horarium hostile --value \\$\\(touch\\ touched\\) '],
];

/** Words that a shell would run if it evaluated them. */
const hostile = ['$(touch touched)', '`touch touched`', '";touch touched;"', "';touch touched;'"];

describe('Completion', () => {
  let folder: string;
  const settings = { HORARIUM_PLUGINS: 'built-in,./shown.mjs' };
  before(() => {
    folder = temporaryFolder('shells');
    installHorarium(folder);
    writeFileSync(join(folder, 'two words.yaml'), '');
    const source = `{ name: 'shown', api: 1, commands: [
      core.defineCommand({ name: 'greet:all', summary: 'Greet everyone.', run: () => undefined }),
      core.defineCommand({ name: 'hostile', summary: 'Never run.', run: () => undefined,
        options: { value: core.choice(['$(touch touched)']) } })] }`;
    writeFileSync(join(folder, 'shown.mjs'), moduleOf({ source, refusal: /./ }));
  });
  afterEach(() => {
    expect(existsSync(join(folder, 'touched'))).to.equal(false);
  });
  after(() => rmSync(folder, { recursive: true }));

  function script(shell: string): string {
    return execFileSync(join(folder, 'horarium'), ['completion', shell], { encoding: 'utf8' });
  }

  async function expectLines(shell: TypedShell): Promise<void> {
    for (const word of hostile) await shell.type(`horarium task:list --as ${word} --sta`, '\t');
    for (const [typed, line] of lines) expect([typed, await shell.type(typed, '\t')]).to.deep.equal([typed, line]);
  }

  describe('in bash', () => {
    before(function () {
      if (!hasScript) return this.skip();
      const prompt = `PS1='ready>'\nbind 'set bell-style none'\n`;
      const dump = `dump() { printf '<<%s>>' "$READLINE_LINE"; READLINE_LINE=; }\nbind -x '"\\C-x\\C-p": dump'\n`;
      writeFileSync(
        join(folder, 'bashrc'),
        `${prompt}${dump}bind '"\\C-x\\C-a": insert-completions'\n${script('bash')}`,
      );
    });
    const start = () => new TypedShell('bash --noprofile --rcfile bashrc -i', folder, settings);

    it('replaces the word at the cursor, also after a colon or an equals sign', async () => {
      await using shell = start();
      await expectLines(shell);
    });

    it('offers every word that may stand there', async () => {
      await using shell = start();
      const all = '\u0018\u0001';
      // Readline replaces what follows the colon, so only the first one stands after it.
      expect(await shell.type('horarium task:', all)).to.equal('horarium task:get list retry summary waive ');
      expect((await shell.type('horarium ', all)).split(' ')).to.include.members(['serve', 'task:list', 'help']);
      expect(await shell.type('horarium runtemplate:save --active ', all)).to.equal(
        'horarium runtemplate:save --active false true ',
      );
    });
  });

  describe('in zsh', () => {
    before(function () {
      if (!zsh || !hasScript) return this.skip();
      for (const name of ['functions', 'sourced']) mkdirSync(join(folder, name));
      writeFileSync(join(folder, 'functions/_horarium'), script('zsh'));
      const prompt = `PS1='ready>'\nsetopt no_beep\n`;
      const dump = `dump() { zle -I; print -rn -- "<<$BUFFER>>"; BUFFER=; }\nzle -N dump\nbindkey '^X^P' dump\n`;
      const compinit = 'autoload -Uz compinit\ncompinit -u -D\n';
      writeFileSync(join(folder, '.zshrc'), `${prompt}${dump}fpath=($ZDOTDIR/functions $fpath)\n${compinit}`);
      writeFileSync(join(folder, 'sourced/.zshrc'), `${prompt}${dump}${compinit}source <(horarium completion zsh)\n`);
    });
    const start = (ZDOTDIR: string) => new TypedShell(`${zsh} -i`, folder, { ZDOTDIR, ...settings });

    it('replaces the word at the cursor', async () => {
      await using shell = start(folder);
      await expectLines(shell);
    });

    it('does so too where the shell reads the script itself', async () => {
      await using shell = start(join(folder, 'sourced'));
      expect(await shell.type('horarium task:l', '\t')).to.equal('horarium task:list ');
    });
  });

  describe('in fish', () => {
    before(function () {
      if (!fish) return this.skip();
      writeFileSync(join(folder, 'horarium.fish'), script('fish'));
    });

    /** Lists what fish offers at the end of a line. */
    function offered(line: string): string[] {
      const { PATH = '' } = process.env;
      const code = 'source horarium.fish; complete -C $argv[1]';
      const env = { PATH: `${folder}:${PATH}`, HOME: folder, ...settings };
      const out = execFileSync(fish as string, ['--no-config', '-c', code, '--', line], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
      return out.split('\n').slice(0, -1);
    }

    it('offers the words that may stand there, with what they mean', () => {
      expect(offered('horarium task:l')).to.deep.equal(['task:list\tList tasks, newest first']);
      expect(offered('horarium greet')).to.deep.equal(['greet:all\tGreet everyone']);
      expect(offered('horarium ').map((line) => line.split('\t')[0])).to.include.members([
        'serve',
        'task:list',
        'help',
      ]);
      expect(offered('horarium task:list --sta')[0]).to.match(/^--state\t/);
      expect(offered('horarium task:list --format j')).to.deep.equal(['json']);
      expect(offered('horarium task:list --format=j')).to.deep.equal(['--format=json']);
      expect(offered('horarium nonsense ')).to.deep.equal([]);
    });

    it('offers files where one may be named', () => {
      expect(offered('horarium apply two')).to.deep.equal(['two words.yaml']);
      expect(offered('horarium app:save --json=two')).to.deep.equal(['--json=two words.yaml']);
      expect(offered('horarium task:get two')).to.deep.equal([]);
    });

    it('runs nothing of the line', () => {
      for (const word of [...hostile, '(touch touched)']) offered(`horarium task:list --as ${word} --sta`);
      expect(offered('horarium hostile --value ')).to.deep.equal(['$(touch touched)']);
    });
  });
});
