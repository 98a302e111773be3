import { expect } from 'chai';
import { helpProgram } from '../../support/docs/help-program.ts';
import { TestCli } from '../../support/program/test-cli.ts';

/** Commands that name records, each with what they are named by, and with the ids in place of that. */
const lines: readonly (readonly [line: string, ids: string])[] = [
  ['company:get acme', 'company:get 1'],
  ['company:get Acme Ltd', 'company:get 1'],
  ['company:list --id acme', 'company:list --id 1'],
  ['user:get olga', 'user:get 2'],
  ['userrole:list --user-id admin', 'userrole:list --user-id 1'],
  ['companyuser:list --company-id acme --user-id olga', 'companyuser:list --company-id 1 --user-id 2'],
  ['app:get tar', 'app:get 1'],
  ['app:export tar', 'app:export 1'],
  ['app:list --id tar', 'app:list --id 1'],
  ['calendar:get workdays', 'calendar:get 1'],
  ['calendar:list --company-id acme', 'calendar:list --company-id 1'],
  ['runtemplate:get nightly', 'runtemplate:get 1'],
  ['runtemplate:get acme/backup', 'runtemplate:get 2'],
  ['runtemplate:get globex/backup', 'runtemplate:get 3'],
  ['runtemplate:list --app-id tar --company-id acme', 'runtemplate:list --app-id 1 --company-id 1'],
  ['runtemplate:list --id backup --company-id globex', 'runtemplate:list --id 3 --company-id 2'],
  ['runtemplate:list --calendar-id workdays', 'runtemplate:list --calendar-id 1'],
  [
    'runtemplate:save --id nightly --calendar-id workdays --dry-run',
    'runtemplate:save --id 1 --calendar-id 1 --dry-run',
  ],
  ['runtemplate:delete nightly --dry-run', 'runtemplate:delete 1 --dry-run'],
  ['task:list --runtemplate-id nightly', 'task:list --runtemplate-id 1'],
  ['task:list --runtemplate-id backup --company-id acme', 'task:list --runtemplate-id 2 --company-id 1'],
  ['job:list --runtemplate-id nightly --app-id tar', 'job:list --runtemplate-id 1 --app-id 1'],
  ['pause:list --company-id globex', 'pause:list --company-id 2'],
  ['delivery:list --runtemplate-id nightly', 'delivery:list --runtemplate-id 1'],
  ['event:list --event-source-id hook', 'event:list --event-source-id 1'],
  ['eventrule:list --runtemplate-id nightly', 'eventrule:list --runtemplate-id 1'],
  ['eventsource:get hook', 'eventsource:get 1'],
  ['eventsource:test hook', 'eventsource:test 1'],
  ['auditlog:list --company-id acme', 'auditlog:list --company-id 1'],
  ['auditlog:list --user-id olga', 'auditlog:list --user-id 2'],
  [
    'auditlog:list --entity-type RunTemplate --entity-id nightly',
    'auditlog:list --entity-type RunTemplate --entity-id 1',
  ],
  ['summary --company acme', 'summary --company 1'],
  ['why nightly', 'why 1'],
  ['why runtemplate nightly', 'why runtemplate 1'],
  ['preview nightly --from 2026-01-01', 'preview 1 --from 2026-01-01'],
  [
    'backfill nightly --from 2026-01-01 --to 2026-01-02 --dry-run',
    'backfill 1 --from 2026-01-01 --to 2026-01-02 --dry-run',
  ],
  ['task:retry --template backup --company globex --dry-run', 'task:retry --template 3 --company 2 --dry-run'],
  ['action:test --runtemplate-id nightly', 'action:test --runtemplate-id 1'],
  ['action:test --company-id acme', 'action:test --company-id 1'],
  ['export --company acme', 'export --company 1'],
  ['crontab:export --company acme', 'crontab:export --company 1'],
  ['crontab:sync - --source x --company acme --dry-run', 'crontab:sync - --source x --company 1 --dry-run'],
  ['token:list --user olga', 'token:list --user 2'],
  ['task:list --as olga', 'task:list --as 2'],
];

/** How help describes records that have no name. */
const nameless =
  /\b(?:Tasks?|task|filter by id(?:, or by several separated by commas)?$|job|event|delivery|pause|membership|role of a user|entry|Delivery|event_id|task_id|job_id|message_id|digest_id|entity_id)(?!\w)/;

/** Output without what differs from call to call. */
const lasting = (text: string) => text.replace(/^(?:updated_at|latency_ms) .*$/gm, '');

describe('A record that a command line names', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    const command = async (...line: string[]) => {
      const { code, err } = await cli.run(line);
      expect(code, `${line.join(' ')}: ${err}`).to.equal(0);
    };
    await command('migrate');
    await command('company:save', '--code', 'acme', '--name', 'Acme Ltd');
    await command('company:save', '--code', 'globex', '--name', 'Globex');
    await command('user:save', '--login', 'olga', '--set', 'password=correct-horse-1');
    await command('companyuser:save', '--company-id', 'acme', '--user-id', 'olga', '--role', 'operator');
    await command('app:save', '--code', 'tar', '--name', 'Tar', '--executable', 'true');
    await command('calendar:save', '--company-id', 'acme', '--code', 'workdays', '--name', 'Workdays');
    const save = ['runtemplate:save', '--app-id', 'tar', '--interval', 'daily', '--name', 'T', '--company-id'];
    await command(...save, 'acme', '--code', 'nightly');
    await command(...save, 'acme', '--code', 'backup');
    await command(...save, 'globex', '--code', 'backup');
    const hook = { name: 'hook', kind: 'webhook', options: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } };
    const { code, err } = await cli.command('eventsource:save --json -', { input: JSON.stringify(hook) });
    expect(code, err).to.equal(0);
  });
  after(() => cli[Symbol.dispose]());

  for (const [line, ids] of lines)
    it(`may be named in ${line}`, async () => {
      const words = line.replace('Acme Ltd', 'Acme_Ltd').split(' ');
      const terminal = { input: '0 5 * * * true\n' };
      const named = await cli.run(
        words.map((word) => word.replace('_Ltd', ' Ltd')),
        terminal,
      );
      expect(named.err).to.not.match(/There is no|positive whole number|unknown option/);
      const numbered = await cli.run(ids.split(' '), terminal);
      expect([named.code, lasting(named.out)]).to.deep.equal([numbered.code, lasting(numbered.out)]);
    });

  it('is so named in every argument and option of a kind of records that have names', async () => {
    const program = await helpProgram();
    const params = program
      .createHelp()
      .visibleCommands(program)
      .flatMap((command) => [
        ...command.registeredArguments.map((each) => [command.name(), each.name(), each.description] as const),
        ...command.options.map((each) => [command.name(), each.attributeName(), each.description] as const),
      ]);
    const naming = params.filter(
      ([command, name]) =>
        /^(?:id|ids|template|company|user|entry)$|(?:[a-z]Id|[a-z]Ids)$/.test(name) &&
        !['service:install user', 'crontab:sync user', 'serve', 'config', 'doctor'].some((each) =>
          `${command} ${name}`.startsWith(each),
        ),
    );
    expect(naming.length).to.be.above(100);
    const byIdAlone = naming.filter(
      ([, , description]) => !/\b(?:code|name|login)\b/.test(description) && !nameless.test(description),
    );
    expect(byIdAlone.map((each) => each.join(' '))).to.deep.equal([]);
  });

  it('is refused with the candidates where several have the name', async () => {
    const sentence =
      /^There are 2 run templates named “backup”: 3 \(globex\), 2 \(acme\)\. Use an id, or name the company as in \w+\/backup\.\n$/;
    for (const line of [
      'runtemplate:get backup',
      'runtemplate:run backup',
      'why backup',
      'preview backup',
      'task:list --runtemplate-id backup',
      'runtemplate:list --id backup',
      'task:retry --template backup --dry-run',
    ]) {
      const { code, out, err } = await cli.command(line);
      expect([line, code, out]).to.deep.equal([line, 1, '']);
      expect(err, line).to.match(sentence);
    }
  });

  it('is known by a number that is its code, unless the number is the id of another', async () => {
    await cli.run(['company:save', '--code', '77', '--name', 'Seventy-Seven']);
    expect((await cli.command('company:get 77')).out).to.match(/^name +Seventy-Seven$/m);
    await cli.run(['company:save', '--code', '1', '--name', 'One']);
    expect((await cli.command('company:get 1')).err).to.match(
      /^1 is the id of one company and the code of another, 4: use the code of the former, or the id of the latter\.\n$/,
    );
    expect((await cli.command('company:delete 4')).code).to.equal(0);
  });

  it('of a user may be revoked or get a password by its name, too', async () => {
    const token = await cli.command('token:generate --user 2 --name ci --format json');
    expect(token.json).to.include({ user: 'olga', name: 'ci' });
    expect((await cli.command('token:revoke ci')).err).to.equal(`Token ${token.json.id} is revoked.\n`);
    expect((await cli.command('token:revoke ci')).err).to.match(/^There is no token with the name “ci”/);
    const { err } = await cli.command('user:password 2', { input: 'correct-horse-2\n' });
    expect(err).to.match(/^The password of olga is set/);
  });

  describe('of several companies', () => {
    let stores: TestCli;
    before(async () => {
      stores = new TestCli();
      await stores.command('migrate');
      for (const code of ['acme', 'beta', '1.5']) await stores.command(`company:save --code ${code} --name ${code}`);
      await stores.command('app:save --name Smith,Jones --executable true');
      for (const line of [
        '--company-id acme --code nightly --name Nightly',
        '--company-id beta --code report --name Report',
        '--company-id acme --code other --name report',
        '--company-id beta --code x --name acme/nightly',
      ])
        await stores.command(`runtemplate:save --app-id 1 --interval none ${line}`);
    });
    after(() => stores[Symbol.dispose]());

    const idsOf = async (line: string) =>
      (await stores.command(`${line} --format json`)).json.map((row: { id: number }) => row.id);

    it('is not taken for that of another company, whose name looks like its path', async () => {
      const { code, err } = await stores.command('runtemplate:delete acme/nightly');
      expect([code, err]).to.deep.equal([
        1,
        'acme/nightly names run template 1 of that company, and is the name of 4: use an id.\n',
      ]);
      expect(await idsOf('runtemplate:list --order id')).to.deep.equal([1, 2, 3, 4]);
    });

    it('is that of the company that the same line names', async () => {
      expect(await idsOf('runtemplate:list --company-id acme --id report')).to.deep.equal([3]);
      expect(await idsOf('runtemplate:list --company-id beta --id report')).to.deep.equal([2]);
    });

    it('may have a code of digits and dots, and a name with a comma', async () => {
      expect((await stores.command('company:get 1.5 --format json')).json).to.include({ id: 3, code: '1.5' });
      expect(await idsOf('runtemplate:list --company-id 1.5')).to.deep.equal([]);
      expect(await idsOf('runtemplate:list --app-id Smith,Jones --order id')).to.deep.equal([1, 2, 3, 4]);
    });

    it('is quoted in messages without what would control the terminal', async () => {
      await stores.run(['app:save', '--name', 'evil\u001b]0;owned\u0007', '--executable', 'true']);
      const { err } = await stores.run(['app:get', 'evil]0;owned']);
      expect(err).to.include('\\x1b]0;owned\\x07').and.not.include('\u001b');
    });
  });
});
