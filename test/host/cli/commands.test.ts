import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

for (const { database, openCli } of cliDatabases)
  describe(`commands on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
    });
    after(() => cli[Symbol.dispose]());

    it('create the store once', async () => {
      expect((await cli.command('migrate')).out).to.equal('The tables are up to date.\n');
      expect((await cli.command('user:list --format json')).json).to.have.length(1);
    });

    it('save, list, show and delete records', async () => {
      const made = await cli.run(['company:save', '--code', 'acme', '--name', 'Acme', '--format', 'json']);
      expect(made.json).to.include({ code: 'acme', name: 'Acme', enabled: true, email: null });
      const { id } = made.json;
      expect(made.err).to.equal(`Company ${id} is created.\n`);
      const changed = await cli.run([
        'company:save',
        '--code=acme',
        '--set',
        'email=a@b.cz',
        '--enabled=false',
        '--format=json',
      ]);
      expect(changed.err).to.equal(`Company ${id} is saved.\n`);
      const cleared = await cli.command(`company:save --id ${id} --email null --format yaml`);
      expect(cleared.out).to.include('enabled: false').and.to.include('email: null');
      expect((await cli.command('company:list')).out).to.equal(
        `id  code  name  enabled  registration_number  email\n${id}   acme  Acme  false\n`,
      );
      expect((await cli.command('company:list --code other')).out).to.equal('(none)\n');
      expect((await cli.command(`company:get ${id} --format json`)).json).to.include({ id, email: null });
      expect((await cli.command(`company:delete ${id}`)).err).to.equal(`Company ${id} is deleted.\n`);
      const gone = await cli.command(`company:get ${id}`);
      expect([gone.code, gone.err]).to.deep.equal([1, `There is no Company ${id}.\n`]);
    });

    it('warn on the error output of a secret that is too short to be masked', async () => {
      const { id: company_id } = (await cli.command('company:save --code pin --name Pin --format json')).json;
      const input = JSON.stringify({ name: 'door', company_id, values: { PIN: '4711' } });
      const warning =
        'Warning: values.PIN is shorter than 6 characters: it is encrypted, but not masked where a job prints it.\n';
      const saved = await cli.command('credential:save --json - --format json', { input });
      expect(saved.json.values).to.deep.equal({ PIN: '••••••••' });
      expect(saved.err).to.equal(`${warning}Credential ${saved.json.id} is created.\n`);
      const app = { name: 'door', executable: 'true', environment: { PIN: { type: 'secret' } } };
      const app_id = (await cli.command('app:save --json - --format json', { input: JSON.stringify(app) })).json.id;
      const fields = { name: 'door', company_id, app_id, interval: 'none' };
      const template = await cli.command('runtemplate:save --json - --format json', { input: JSON.stringify(fields) });
      const run = await cli.command(`runtemplate:run ${template.json.id} --env PIN=1 --at 2099-01-01T00:00:00Z`);
      expect(run.err).to.match(/^Warning: environment\.PIN is shorter than 6 characters/);
    });

    it('tell in a dry run what they would change, and change nothing', async () => {
      const { id } = (await cli.command('topic:save --name dry --format json')).json;
      const saved = await cli.command('topic:save --name wet --dry-run --format json');
      expect([saved.code, saved.json.name]).to.deep.equal([0, 'wet']);
      expect(saved.err).to.equal('Warning: dry run: nothing was changed\nWarning: would create Topic: 1\n');
      const deleted = await cli.command(`topic:delete ${id} --dry-run`);
      expect([deleted.code, deleted.err]).to.deep.equal([
        0,
        `Warning: dry run: nothing was changed\nWarning: would delete Topic ${id}\n`,
      ]);
      const { json } = await cli.command('topic:list --format json');
      const names = json.map((topic: { name: string }) => topic.name);
      expect(names).to.include('dry').and.not.to.include('wet');
      expect((await cli.command('topic:save --name wet --color none --dry-run')).code).to.equal(1);
    });

    it('add a member of a company by exact login, and by an id only where the caller may see the user', async () => {
      const company = (await cli.command('company:save --code members --name Members --format json')).json.id;
      const add = async (login: string) => {
        const input = JSON.stringify({ login, email: `${login}@example.com` });
        return (await cli.command('user:save --json - --format json', { input })).json.id as number;
      };
      const [, stranger] = [await add('boss'), await add('stranger')];
      expect((await cli.command(`companyuser:save --company-id ${company} --login boss --role admin`)).code).to.equal(
        0,
      );
      const save = `companyuser:save --company-id ${company} --as boss`;
      const byId = await cli.command(`${save} --user-id ${stranger}`);
      const unknown = await cli.command(`${save} --user-id 987654`);
      expect(byId.code).to.equal(1);
      expect(byId.err.replace(String(stranger), '987654')).to.equal(unknown.err);
      expect((await cli.command(`${save} --login strange`)).code).to.equal(1);
      const shown = await cli.command(`companyuser:save --company-id ${company} --login boss --role admin`);
      expect(shown.out)
        .to.match(/^user\.login +boss$/m)
        .and.not.match(/^user\.first_name/m);
      const byLogin = await cli.command(`${save} --login stranger --format json`);
      expect(byLogin.json).to.include({ user_id: stranger, role: 'viewer' });
    });

    it('take fields as JSON from a file or standard input', async () => {
      const topic = { name: 'billing', color: '#00ff00' };
      const saved = await cli.command('topic:save --json - --format json', { input: JSON.stringify(topic) });
      expect(saved.json).to.include(topic);
      const wrong = await cli.command('topic:save --json -', { input: '[]' });
      expect(wrong.err).to.equal('Standard input must hold one JSON object, such as {"name": "…"}.\n');
      const missing = await cli.command('topic:save --json none.json');
      expect(missing.err).to.match(/^none\.json cannot be read: ENOENT/);
    });

    it('take a list in --set as JSON, and structured data as well', async () => {
      const run = async (line: readonly string[]) => (await cli.run([...line, '--format', 'json'])).json;
      const app = await run(['app:save', '--name', 'listed', '--executable', 'sh']);
      const save = (pair: string) => run(['app:save', '--id', String(app.id), '--set', pair]);
      expect((await save('arguments=["-c", "echo a b"]')).arguments).to.deep.equal(['-c', 'echo a b']);
      expect((await save('arguments=[ -f x ]')).arguments).to.deep.equal(['[', '-f', 'x', ']']);
      expect((await save('arguments=[]')).arguments).to.deep.equal([]);
      const environment = (await save('environment={"KEY": {"type": "string", "default": "1"}}')).environment;
      expect(environment).to.have.nested.property('KEY.default', '1');
      const topic = await run(['topic:save', '--name', 'listed']);
      expect((await save(`topics=[${topic.id}]`)).topics).to.deep.equal([topic.id]);
    });

    it('suggest a value that is similar to an unknown one', async () => {
      const meant: [line: string, value: string][] = [
        ['runtemplate:save --interval dayly', 'daily'],
        ['runtemplate:save --retry-backoff fixd', 'fixed'],
        ['companyuser:save --role manger', 'manager'],
        ['job:list --state faild', 'failed'],
        ['job:list --order creatd_at', 'created_at'],
      ];
      for (const [line, value] of meant) {
        const { code, out, err } = await cli.command(line);
        expect([line, code, out]).to.deep.equal([line, 1, '']);
        expect(err).to.contain(` Did you mean ${value}?`);
      }
    });

    it('name every invalid field', async () => {
      const { code, out, err } = await cli.command('runtemplate:save --interval often --max-attempts x');
      expect([code, out]).to.deep.equal([1, '']);
      expect(err).to.match(/^RunTemplate is invalid: /);
      for (const field of ['interval', 'max_attempts', 'name', 'app_id', 'company_id'])
        expect(err).to.match(new RegExp(`[:;] ${field} `));
    });

    it('page through lists', async () => {
      for (const name of ['a1', 'a2', 'a3']) await cli.command(`topic:save --name ${name}`);
      const first = await cli.command('topic:list --order name --limit 2 --format json');
      expect(first.json.map((topic: { name: string }) => topic.name)).to.deep.equal(['a1', 'a2']);
      const [, after] = /^The next page: --after (\S+)\n$/.exec(first.err) ?? [];
      const second = await cli.command(`topic:list --order name --limit 2 --format json --after ${after}`);
      expect(second.json.map((topic: { name: string }) => topic.name)).to.deep.equal(['a3', 'billing']);
      expect((await cli.command('topic:list --order colour')).err).to.match(
        /^order must be one of id, .*, not colour\.\n$/,
      );
      expect((await cli.command('topic:list --fields name --name a1')).out).to.equal('name\na1\n');
    });

    it('act with the rights of the user of --as, and audit the actor', async () => {
      await cli.command('user:save --login eve');
      const refused = await cli.command('topic:save --name mine --as eve');
      expect(refused.code).to.equal(1);
      expect((await cli.command('topic:list --as nobody')).err).to.equal(
        'There is no enabled user nobody to act as.\n',
      );
      const trail = await cli.command('auditlog:list --order id --limit 1000 --format json');
      const mine = trail.json.filter((entry: { channel: string }) => entry.channel === 'cli');
      expect(mine.map((entry: { actor: string }) => entry.actor))
        .to.include('tester on bench')
        .and.to.not.include('eve');
      expect((await cli.command('audit:verify --format json')).json).to.include({ intact: true, problem: null });
    });

    it('generate, list and revoke tokens, and show each once', async () => {
      const { json } = await cli.command('token:generate --user admin --ttl 15m --name ci --format json');
      expect(json.token).to.match(/^hor_[\w-]{43}$/);
      const bare = await cli.command('token:generate --user admin');
      expect(bare.out).to.match(/^hor_[\w-]{43}\n$/);
      const listed = await cli.command('token:list --user admin --format json');
      expect(listed.json).to.have.length(2);
      expect(listed.out).to.not.include(json.token);
      await cli.command(`token:revoke ${json.id}`);
      expect((await cli.command('token:list --format json')).json).to.have.length(1);
      expect((await cli.command('token:generate --user admin --ttl soon')).err).to.match(
        /^A time to live is written 45s/,
      );
      expect((await cli.command('token:generate --user nobody')).err).to.equal(
        'There is no user with the login “nobody”. horarium user:save makes one.\n',
      );
    });

    it('set passwords from a terminal or standard input, never from an argument', async () => {
      const asked = await cli.command('user:password admin', { answers: ['a new password', 'a new password'] });
      expect([asked.code, asked.out]).to.deep.equal([0, '']);
      const differing = await cli.command('user:password admin', { answers: ['a new password', 'another one here'] });
      expect(differing.err).to.equal('The two passwords are not the same; nothing was changed.\n');
      const short = await cli.command('user:password admin', { input: 'short\n' });
      expect([short.code, short.err]).to.deep.equal([1, 'User is invalid: password must be at least 12 characters\n']);
      expect((await cli.command('user:save --login bob --password hunter2hunter2')).code).to.equal(2);
    });

    it('warn of a password among the arguments', async () => {
      const login = '--set login=exposed';
      const { err } = await cli.command(`user:save ${login} --set password=correct-horse-battery`);
      expect(err).to.match(/^Warning: every user of this machine can read the password in --set; --json keeps it /);
      expect(err).to.not.contain('correct-horse');
      const input = '{"password": "correct-horse-battery"}';
      expect((await cli.command(`user:save ${login} --json -`, { input })).err).to.match(/^User \d+ is saved\.\n$/);
    });

    it('change one’s own password when the old one is given', async () => {
      await cli.command('user:save --login own');
      await cli.command('user:password own', { input: 'the first password\n' });
      const own = 'user:password own --as own';
      const wrong = await cli.command(own, { input: 'not the password\nthe second password\n' });
      expect([wrong.code, wrong.err]).to.deep.equal([1, 'User is invalid: old_password is wrong\n']);
      const answers = ['the first password', 'the second password', 'the second password'];
      expect((await cli.command(own, { answers })).code).to.equal(0);
      const piped = await cli.command(own, { input: 'the second password\nthe third password\n' });
      expect([piped.code, piped.err]).to.deep.equal([
        0,
        'The password of own is set; tokens got by signing in with the old one have ended.\n',
      ]);
    });

    it('take a code or a name in place of an id, and list the records that share it', async () => {
      await cli.command('company:save --code named --name Named');
      const { json: one } = await cli.command('company:get named --format json');
      await cli.command('app:save --name twin --executable true');
      const { json: saved } = await cli.command('app:save --name twin --executable true --format json');
      expect((await cli.command('company:save --id Named --email a@b.example')).err).to.equal(
        `Company ${one.id} is saved.\n`,
      );
      expect((await cli.command('app:get twin')).err).to.equal(
        `There are 2 apps named “twin”: ${saved.id}, ${saved.id - 1}. Use an id.\n`,
      );
      expect((await cli.command('company:get nmaed')).err).to.equal(
        'There is no company with the code or name “nmaed”. Did you mean named?\n',
      );
      expect((await cli.command('company:delete named')).err).to.equal(`Company ${one.id} is deleted.\n`);
    });

    it('take a code or a name in place of an id of another record, in a save and in a filter', async () => {
      await cli.command('company:save --code referred --name Referred');
      await cli.command('app:save --name referred-app --executable true');
      const fields = '--name Refers --app-id referred-app --company-id referred --interval none';
      const { json: saved } = await cli.command(`runtemplate:save ${fields} --format json`);
      const { json: listed } = await cli.command('runtemplate:list --company-id Referred --format json');
      expect(listed.map(({ id }: { id: number }) => id)).to.deep.equal([saved.id]);
      expect((await cli.command('runtemplate:list --company-id nowhere')).err).to.match(
        /^There is no company with the code or name “nowhere”\./,
      );
      const { err } = await cli.command('runtemplate:save --name Refers --app-id 1 --company-id refered');
      expect(err).to.equal('There is no company with the code or name “refered”. Did you mean referred?\n');
    });

    it('warn of a delay of retries that has no effect, once', async () => {
      await cli.command('company:save --code delaying --name Delaying');
      const created = await cli.command(
        'runtemplate:save --code delayed --name Delayed --app-id referred-app --company-id delaying --interval none --retry-delay 15s',
      );
      const warning =
        /^Warning: retry_delay has no effect while retry_backoff is none: choose fixed, linear or exponential\.$/m;
      expect(created.err).to.match(warning);
      expect((await cli.command('runtemplate:save --id delayed --note later')).err).not.to.match(warning);
      expect((await cli.command('runtemplate:save --id delayed --retry-backoff fixed')).err).not.to.match(warning);
    });

    it('refuse a password in an argument, without showing it, and name the command that asks for it', async () => {
      for (const given of ['--password hunter2-hunter2', '--password'])
        expect(await cli.command(`user:save --login eve ${given}`)).to.deep.include({
          code: 2,
          out: '',
          err: 'error: --password is refused, because every user of this machine can read arguments: user:password LOGIN asks for it.\n(see "horarium user:save --help")\n',
        });
      expect((await cli.command('user:save --help')).out).not.to.contain('--password');
    });

    it('warn of a program that this machine lacks, unless something else runs it', async () => {
      const warning = async (...options: string[]) => {
        const { code, err } = await cli.run(['app:save', '--name', 'missing', ...options]);
        expect(code, err).to.equal(0);
        return err.replace(/^App \d+ is created\.\n/m, '');
      };
      const start = 'Warning: On this machine, the executor native could not start it: The executable';
      expect(await warning('--executable', 'ls -la')).to.equal(
        `${start} ls -la was not found. Put its arguments into the field arguments.\n`,
      );
      expect(await warning('--executable', '/no/such/program')).to.equal(`${start} /no/such/program was not found.\n`);
      for (const options of [
        ['--executable', 'true'],
        ['--executable', '{TOOL}', '--set', 'environment={"TOOL": {}}'],
        ['--executable', 'https://example.com/run'],
        ['--executable', 'inside-the-image', '--set', 'oci_image=alpine'],
        ['--executable', 'elsewhere', '--set', 'executors=["external"]'],
      ])
        expect(await warning(...options), options.join(' ')).to.equal('');
    });

    it('warn of such a program when a template of its App is saved, but not at each further change', async () => {
      const app = (await cli.command('app:save --name lacking --executable /no/such/program --format json')).json.id;
      const company = (await cli.command('company:save --code lacking --name Lacking --format json')).json.id;
      const save = 'runtemplate:save --format json';
      const first = await cli.command(`${save} --name t --company-id ${company} --app-id ${app} --interval none`);
      const { id } = first.json;
      expect(first.err).to.equal(
        `Warning: On this machine, the executor native could not start it: The executable /no/such/program was not found.\nRunTemplate ${id} is created.\n`,
      );
      expect((await cli.command(`${save} --id ${id} --note kept`)).err).to.equal(`RunTemplate ${id} is saved.\n`);
      expect((await cli.command(`${save} --id ${id} --executor external`)).err).to.equal(
        `RunTemplate ${id} is saved.\n`,
      );
    });

    it('suggest the executor, the action and the kind of event source that was probably meant', async () => {
      await cli.command('company:save --code guess --name Guess');
      await cli.command('app:save --name guess --executable true');
      const [company, app] = [
        await cli.command('company:get guess --format json'),
        await cli.command('app:list --format json'),
      ];
      const template = `runtemplate:save --name g --company-id ${company.json.id} --app-id ${app.json[0].id} --interval none`;
      expect((await cli.command(`${template} --executor natve`)).err).to.match(
        /executor natve\. Did you mean native\?\n$/,
      );
      const list = '[{"action":"webhok","url":"https://a.example"}]';
      expect((await cli.run([...template.split(' '), '--set', `on_failure=${list}`])).err).to.match(
        /action webhok\. Did you mean webhook\?\n$/,
      );
      expect((await cli.command('eventsource:save --name s --kind webhok')).err).to.match(
        /event source kind webhok\. Did you mean webhook\?\n$/,
      );
    });

    it('refuse a list in brackets that is no JSON, and write it as JSON', async () => {
      const save = ['app:save', '--name', 'brackets', '--executable', '/bin/sh', '--set', 'arguments=[-c, x]'];
      expect((await cli.run(save)).err).to.equal(
        'arguments is no JSON list: [-c, x]. Write ["-c","x"] for a list, ["[-c, x]"] for that text.\n',
      );
      const { json } = await cli.run([...save.with(-1, 'arguments=["-c", "x"]'), '--format', 'json']);
      expect(json.arguments).to.deep.equal(['-c', 'x']);
      const test = await cli.run([...save.with(-1, 'arguments=['), '--format', 'json']);
      expect(test.json.arguments).to.deep.equal(['[']);
    });

    it('print the fields that are set after a save, and all of them in json', async () => {
      const { out } = await cli.command('topic:save --name brief');
      expect(out.match(/^\w+/gm)).to.deep.equal(['id', 'created_at', 'updated_at', 'name']);
      const { json } = await cli.command('topic:save --name brief --format json');
      expect(json).to.have.property('color', null);
    });

    it('blame the plugin whose command throws, by name', async () => {
      const command =
        "{ name: 'shop:sync', summary: 'Sync.', run: async () => { throw new TypeError('orders is undefined'); } }";
      writeFileSync(join(cli.folder, 'shop.mjs'), `export default { name: 'shop', api: 1, commands: [${command}] };`);
      const { code, err } = await cli.command('shop:sync', { environment: { HORARIUM_PLUGINS: './shop.mjs' } });
      expect(code).to.equal(1);
      expect(err).to.match(/^This is a bug in the plugin shop, please report it:\nTypeError: orders is undefined\n/);
    });

    it('name the plugin that cannot be loaded', async () => {
      const load = (HORARIUM_PLUGINS: string, more = {}) =>
        cli.command('topic:list', { environment: { HORARIUM_PLUGINS, ...more } });
      expect((await load('format-json,format-jsno')).err).to.match(
        /^The plugin format-jsno cannot be loaded: no package .* Did you mean format-json\?\n$/,
      );
      writeFileSync(
        join(cli.folder, 'twin.mjs'),
        'export default { name: "twin", api: 1, formats: [{ suffix: "json", mime: "text/plain", write: String }] };',
      );
      expect((await load('format-json,./twin.mjs')).err).to.equal(
        'The plugins format-json and twin both provide the format json; only one of them can be loaded.\n',
      );
      const options = { HORARIUM_PLUGIN_OPTIONS: '{"executor-native": {"grace": "long"}}' };
      expect((await load('format-json,executor-native', options)).err).to.match(
        /^The options of the plugin executor-native are invalid: grace must be a number of seconds, or a duration such as 30s, 5m or 2h\.\n$/,
      );
    });

    it('refuse a vault key other than the one that encrypted the store', async () => {
      const other = { HORARIUM_VAULT_KEY: Buffer.alloc(32, 8).toString('base64') };
      const { code, err } = await cli.command('topic:list', { environment: other });
      expect(code).to.equal(1);
      expect(err).to.match(/^The vault key is not the one /);
    });
  });
