import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildProgram } from '../../../host/cli/all-commands.ts';
import type { Io } from '../../../host/cli/io.ts';
import { loadPluginProgram } from '../../../host/commands/plugin-commands.ts';
import { helpedCommands } from '../../support/docs/help-program.ts';
import { TestCli } from '../../support/program/test-cli.ts';

/** Notes on the form of a value alone, which do not describe an option. */
const formNotes = /^(?:required|JSON|may be repeated|a time such as .*|)$/;

describe('horarium', () => {
  let cli: TestCli;
  before(() => {
    cli = new TestCli();
  });
  after(() => cli[Symbol.dispose]());

  it('prints help for itself and for every command', async () => {
    const help = await cli.command('--help');
    expect(help.code).to.equal(0);
    const names = await helpedCommands();
    expect(names).to.include.members(['serve', 'app:list', 'task:get', 'auditlog:list', 'crontab:sync', 'simulate']);
    for (const name of names) {
      const { code, out } = await cli.command(`${name} --help`);
      expect([name, code]).to.deep.equal([name, 0]);
      expect(out).to.match(new RegExp(`^Usage: horarium ${name} `));
    }
    expect(await cli.command('help')).to.deep.equal(help);
    expect((await cli.command('help app:list')).out).to.match(/^Usage: horarium app:list /);
  });

  it('describes every command, and every option and argument of each', async () => {
    const machine = { cores: 1, timezone: 'UTC', terminal: false };
    const io = { arguments: [], environment: {}, folder: cli.folder, machine } as unknown as Io;
    const open = () => Promise.reject(new Error('no store'));
    const { commands } = buildProgram({ io, open }, await loadPluginProgram(io));
    const undescribed = commands.flatMap((command) => {
      const options = command.options.map(({ flags, description }) => [flags, description]);
      const parameters = command.registeredArguments.map((argument) => [argument.name(), argument.description]);
      return [['', command.description()], ...options, ...parameters]
        .filter(([, description = '']) => description.split('; ').every((note) => formNotes.test(note)))
        .map(([name]) => `${command.name()} ${name}`);
    });
    expect(commands.length).to.be.greaterThan(50);
    expect(undescribed).to.deep.equal([]);
  });

  it('exits with 2 and suggests what was probably meant', async () => {
    const wrong: [string, RegExp][] = [
      ['company:lsit', /unknown command 'company:lsit'\n\(Did you mean company:list\?\)/],
      ['company:lsit --help', /Did you mean company:list\?/],
      ['help company:lsit', /Did you mean company:list\?/],
      ['company:save --nme x', /unknown option '--nme'\n\(Did you mean --name\?\)/],
      ['company:get', /missing required argument 'id'/],
      ['company:get 0', /An id is a positive whole number\./],
      ['company:list --format xml', /Allowed choices are table, json, yaml, csv\./],
      ['company:list --fields nam', /nam is not a column; the columns are id, created_at, /],
      ['company:save --set name', /It must look like field=value\./],
      ['crontab:sync file', /required option '--company <value>' not specified/],
      ['audit:verify --head 7', /It must look like SEQ:HASH/],
    ];
    for (const [line, sentence] of wrong) {
      const { code, out, err } = await cli.command(line);
      expect([line, code, out]).to.deep.equal([line, 2, '']);
      expect(err).to.match(sentence);
    }
  });

  it('exits with 1 where there is no store, and creates none', async () => {
    const { code, out, err } = await cli.command('company:list');
    expect([code, out]).to.deep.equal([1, '']);
    expect(err).to.match(/^There is no file .*h\.sqlite; "horarium serve" or "horarium migrate" makes it ready\.\n$/);
    expect(existsSync(join(cli.folder, 'h.sqlite'))).to.equal(false);
  });

  it('names the whole path of a store that is not in the folder where the command is run', async () => {
    const { err } = await cli.command('company:list --database-url sqlite:var/horarium.sqlite');
    expect(err).to.contain(`There is no file ${join(cli.folder, 'var/horarium.sqlite')}; `);
  });

  it('exits with 1 when a setting is wrong', async () => {
    const { code, err } = await cli.command('company:list', { environment: { HORARIUM_PROT: '1' } });
    expect([code, err]).to.deep.equal([
      1,
      'The environment variable HORARIUM_PROT is not a setting. Did you mean HORARIUM_PORT?\n',
    ]);
    const unreachable = await cli.command('company:list --database-url sqlite:/dev/null/h.sqlite');
    expect(unreachable.code).to.equal(1);
    expect(unreachable.err).to.match(/^There is no file \/dev\/null\/h\.sqlite; /);
    const impossible = await cli.command('migrate --database-url sqlite:/dev/null/h.sqlite');
    expect([impossible.code, impossible.err]).to.deep.equal([
      1,
      'The SQLite file /dev/null/h.sqlite cannot be used: it cannot be opened.\n',
    ]);
  });

  it('never shows the password of a database that does not answer', async () => {
    const url = 'postgres://me:hunter2@127.0.0.1:1/none';
    const answer = 'PostgreSQL at 127.0.0.1:1 (database none) does not answer.\n';
    for (const line of ['company:list', 'migrate', 'serve --port 0']) {
      const { code, out, err } = await cli.command(line, { environment: { HORARIUM_DATABASE_URL: url } });
      expect([code, out, err]).to.deep.equal([1, '', answer]);
    }
  });

  it('warns of a password among the arguments, and of nothing else there', async () => {
    const warned = async (line: string) => (await cli.command(line)).err.match(/^Warning: .*$/gm) ?? [];
    for (const url of [
      'postgres://me:hunter2@127.0.0.1:1/none',
      'postgres://127.0.0.1:1/none?user=me&password=hunter2',
    ])
      for (const line of ['company:list', 'migrate', 'serve --port 0', 'config'])
        expect(await warned(`${line} --database-url ${url}`), line).to.deep.equal([
          'Warning: every user of this machine can read the password in --database-url; ' +
            'HORARIUM_DATABASE_URL and the file of --config keep it to themselves.',
        ]);
    for (const url of ['postgres://me@127.0.0.1:1/none', 'sqlite:/dev/null/h.sqlite'])
      expect(await warned(`migrate --database-url ${url}`)).to.deep.equal([]);
  });

  it('reads only the settings file that is named', async () => {
    writeFileSync(join(cli.folder, 'horarium.yaml'), 'port: 8181\n');
    const port = async (line: string, environment = {}) => {
      const { json } = await cli.command(`config --format json${line}`, { environment });
      return json.find((row: { setting: string }) => row.setting === 'port').value;
    };
    expect(await port('')).to.equal('8080');
    expect(await port(' --config horarium.yaml')).to.equal('8181');
    expect(await port('', { HORARIUM_CONFIG: 'horarium.yaml' })).to.equal('8181');
  });

  it('shows the options of plugins that the host knows to be no secrets, and masks all others', async () => {
    const options = {
      'executor-native': { users: ['jana', 'www-data'], grace: 5 },
      'action-email': { host: 'mail.example.com', password: 'planted' },
      'executor-container': { arguments: ['--env=TOKEN=planted'], environment: { TOKEN: 'planted' } },
      mine: { host: 'planted' },
    };
    const environment = { HORARIUM_PLUGIN_OPTIONS: JSON.stringify(options) };
    const { json, out } = await cli.command('config --format json', { environment });
    const rows = json.filter(({ setting }: { setting: string }) => setting.startsWith('plugin_options'));
    expect(rows.map(({ setting, value }: { setting: string; value: unknown }) => [setting, value])).to.deep.equal([
      ['plugin_options', '••••••••'],
      ['plugin_options.executor-native.users', ['jana', 'www-data']],
      ['plugin_options.executor-native.grace', 5],
      ['plugin_options.action-email.host', 'mail.example.com'],
      ['plugin_options.action-email.password', '••••••••'],
      ['plugin_options.executor-container.arguments', '••••••••'],
      ['plugin_options.executor-container.environment', '••••••••'],
      ['plugin_options.mine.host', '••••••••'],
    ]);
    expect(rows[1]).to.include({ from: 'environment', variable: 'HORARIUM_PLUGIN_OPTIONS' });
    expect(out).not.to.contain('planted');
    const table = (await cli.command('config', { environment })).out;
    expect(table).to.match(/^plugin_options\.executor-native\.users +jana, www-data +/m);
  });

  it('masks options of plugins that are not what they should be, and keys and passwords in those that are no secrets', async () => {
    const options = {
      'action-email': { host: { password: 'planted' }, ca: '-----BEGIN PRIVATE KEY-----planted' },
      'executor-native': { home: { TOKEN: 'planted' }, users: ['jana', { TOKEN: 'planted' }] },
      'executor-container': { docker: ['podman', '--password=planted'] },
      'action-webhook': { proxy: 'http://jana:planted@proxy.example.com' },
    };
    const { code, out } = await cli.command('config --format json', {
      environment: { HORARIUM_PLUGIN_OPTIONS: JSON.stringify(options) },
    });
    expect(code).to.equal(0);
    expect(out).to.contain('plugin_options.executor-container.docker').and.not.to.contain('planted');
  });

  it('shows settings, descriptions, routes and permissions without a store', async () => {
    const config = await cli.command('config --format json --port 81');
    expect(config.json.find((row: { setting: string }) => row.setting === 'port')).to.include({
      value: '81',
      from: 'flag',
    });
    expect(config.out).to.not.include('correct horse');
    const fields = await cli.command('describe runtemplate --format json');
    expect(fields.json.find((row: { field: string }) => row.field === 'app_id')).to.include({
      kind: 'reference App',
      marks: 'required',
    });
    for (const field of ['next_scheduled_at', 'pings_since'])
      expect(fields.json.find((row: { field: string }) => row.field === field)).to.include({ marks: 'read-only' });
    expect((await cli.command('describe')).out).to.include('EventRule');
    expect((await cli.command('describe auditlog')).out).to.match(/entity_type .*\n/);
    expect((await cli.command('describe tsk')).err).to.equal('There is no resource tsk. Did you mean Task?\n');
    const plugins = (await cli.command('plugin:list --format json')).json;
    const provided = plugins.filter(({ provides }: { provides: string }) => provides === 'field');
    expect(provided.map(({ name }: { name: string }) => name)).to.deep.equal([
      'RunTemplate.crontab',
      'RunTemplate.crontab_line',
      'RunTemplate.at_boot',
      'RunTemplate.pings_since',
    ]);
    expect(plugins).to.deep.include({
      provides: 'executor',
      name: 'external',
      option: 'heartbeat_timeout',
      kind: 'integer',
      marks: '',
      default: null,
      values: '≥ 1, ≤ 2147483647',
      note: 'An attempt is lost this many seconds after its last heartbeat; null = only the timeout ends it.',
    });
    expect(plugins.filter((row: { name: string }) => row.name === 'json')).to.have.length(1);
    const ofMail = plugins.filter(
      ({ provides, name }: Record<string, string>) => `${provides} ${name}` === 'plugin action-email',
    );
    expect(ofMail.map(({ option }: { option: string }) => option)).to.include.members(['host', 'user', 'password']);
    expect(ofMail).to.deep.include({
      provides: 'plugin',
      name: 'action-email',
      option: 'port',
      kind: 'integer',
      marks: '',
      default: null,
      values: '≥ 1, ≤ 65535',
      note: 'Null = 465 with tls, else 587.',
    });
    const defaults = plugins.filter((row: { default: unknown }) => row.default !== null);
    const named = defaults.map((row: Record<string, unknown>) => `${row['provides']} ${row['name']}: ${row['option']}`);
    expect(named).to.include.members([
      'plugin action-email: security',
      'plugin event-source-changes-table: sqlite_folders',
    ]);
    const routes = await cli.command('routes --format json');
    expect(routes.json).to.deep.include({
      method: 'GET',
      path: '/api/v1/apps.{suffix}',
      purpose: 'List apps, newest first',
      authentication: 'required',
    });
    expect((await cli.command('permissions')).out).to.match(/^RunTemplate +membership +viewer +manager/m);
    expect((await cli.command('variables')).out).to.match(
      /^LD_\* +native +the dynamic loader and the C library load libraries/m,
    );
    const schema = await cli.command('schema --format json');
    expect(schema.json).to.deep.include({
      table: 'horarium_task',
      column: 'runtemplate_id',
      kind: 'reference',
      nullable: false,
      references: 'horarium_run_template',
      index: 'unique with window_start; indexed',
      secret: null,
    });
  });
});
