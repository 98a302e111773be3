import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HorariumError } from '@horarium/core';
import { expect } from 'chai';
import { readSettings } from '../../../host/cli/setting-options.ts';
import { secretSettings } from '../../../host/config/secret-files.ts';
import { effectiveRows } from '../../../host/config/settings-table.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { TestCli } from '../../support/program/test-cli.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const machine = { cores: 2, timezone: 'UTC', terminal: false };

describe('Secret settings', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder('secrets');
  });
  after(() => rmSync(folder, { recursive: true }));

  const file = (name: string, text: string | Uint8Array, mode = 0o600) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const read = (environment: Record<string, string>) => readSettings({ environment, folder, machine });
  const refusal = async (environment: Record<string, string>) => {
    const error = await rejectionOf(read(environment));
    expect(error).to.be.instanceOf(HorariumError);
    return (error as Error).message;
  };

  it('come from files that variables name, without the line break at the end', async () => {
    file('keys', `${key}\n${key.replace('B', 'C')}\n`);
    const { config, fileWarnings } = await read({
      HORARIUM_ADMIN_PASSWORD_FILE: file('password', 'correct horse battery\n'),
      HORARIUM_DATABASE_URL_FILE: file('url', 'postgres://u:hunter2@h/d'),
      // A relative path starts in the folder of the service; a file of keys may have one a line, as var/vault.key.
      HORARIUM_VAULT_KEY_FILE: 'keys',
      HORARIUM_PLUGIN_OPTIONS_FILE: file('options', '{"docs": {}}\r\n'),
    });
    expect(config.admin_password).to.equal('correct horse battery');
    expect(config.database_url).to.include({ url: 'postgres://u:hunter2@h/d' });
    expect(config.vault_key).to.deep.equal([key, key.replace('B', 'C')]);
    expect(config.plugin_options).to.deep.equal({ docs: {} });
    expect(fileWarnings).to.deep.equal([]);
  });

  it('come from credentials of systemd, which are named as the settings', async () => {
    const directory = join(folder, 'credentials');
    mkdirSync(directory);
    file('credentials/vault_key', key);
    file('credentials/other', 'of another program');
    const { config, effective } = await read({ CREDENTIALS_DIRECTORY: directory });
    expect(config.vault_key).to.deep.equal([key]);
    const shown = effectiveRows(effective).find(({ setting }) => setting === 'vault_key');
    expect(shown).to.include({ from: join(directory, 'vault_key'), value: '••••••••' });
    expect(await refusal({ CREDENTIALS_DIRECTORY: directory, HORARIUM_VAULT_KEY: key })).to.equal(
      `HORARIUM_VAULT_KEY and the credential ${directory}/vault_key are both set; give one.`,
    );
  });

  it('may all come from a file, and no other setting may', async () => {
    expect(secretSettings.map(({ name }) => name)).to.deep.equal([
      'database_url',
      'admin_password',
      'vault_key',
      'plugin_options',
      'actions',
    ]);
    expect(await refusal({ HORARIUM_PORT_FILE: file('port', '80') })).to.match(/HORARIUM_PORT_FILE is not a setting/);
    expect(await refusal({ HORARIUM_VAULT_KEY_FIEL: 'x' })).to.match(/Did you mean HORARIUM_VAULT_KEY_FILE\?$/);
  });

  it('are refused where the file cannot be used, is empty or is given beside the value', async () => {
    const password = (path: string) => refusal({ HORARIUM_ADMIN_PASSWORD_FILE: path });
    const named = (path: string) => `The file ${join(folder, path)}, which HORARIUM_ADMIN_PASSWORD_FILE names,`;
    expect(await password('none')).to.equal(`${named('none')} cannot be read (ENOENT).`);
    expect(await password('.')).to.match(/cannot be read \(EISDIR\)\.$/);
    expect(await password(file('empty', '\n'))).to.equal(`${named('empty')} is empty.`);
    expect(await password(file('log', 'x'.repeat(65_537)))).to.equal(`${named('log')} has more than 65536 bytes.`);
    expect(await password('/dev/zero')).to.match(/has more than 65536 bytes\.$/);
    const both = { HORARIUM_ADMIN_PASSWORD: 'correct horse battery', HORARIUM_ADMIN_PASSWORD_FILE: file('both', 'x') };
    expect(await refusal(both)).to.equal(
      'HORARIUM_ADMIN_PASSWORD and HORARIUM_ADMIN_PASSWORD_FILE are both set; give one.',
    );
    const wrong = file('wrong', 'hunter2');
    expect(await refusal({ HORARIUM_VAULT_KEY_FILE: wrong })).to.equal(
      `vault_key in ${wrong} must be 32 bytes in base64; several are separated by commas, not what it is set to.`,
    );
  });

  it('come from files that the settings file names, unless the environment has them', async () => {
    file('yaml-key', key);
    const path = file('named.yaml', 'vault_key_file: yaml-key\ndatabase_url_file: none\n');
    const environment = { HORARIUM_CONFIG: path, HORARIUM_DATABASE_URL: 'memory:' };
    const { config, effective } = await read(environment);
    expect(config.vault_key).to.deep.equal([key]);
    expect(config.database_url).to.include({ url: 'memory:' });
    const shown = effectiveRows(effective).find(({ setting }) => setting === 'vault_key');
    expect(shown).to.include({ from: join(folder, 'yaml-key'), value: '••••••••' });
    expect(await refusal({ HORARIUM_CONFIG: path })).to.equal(
      `The file ${join(folder, 'none')}, which database_url_file in ${path} names, cannot be read (ENOENT).`,
    );
    const twice = file('twice.yaml', `vault_key_file: yaml-key\nvault_key: ${key}\n`);
    expect(await refusal({ HORARIUM_CONFIG: twice })).to.equal(
      `vault_key in ${twice} and vault_key_file in ${twice} are both set; give one.`,
    );
    const unknown = file('unknown.yaml', 'port_file: x\nvault_key_fiel: x\n');
    expect(await refusal({ HORARIUM_CONFIG: unknown })).to.match(
      /^port_file in .* is not a setting\.\nvault_key_fiel in .* Did you mean vault_key_file\?$/,
    );
  });

  it('are warned of by serve and config where every user of the machine can read the file', async () => {
    using cli = new TestCli();
    const path = join(cli.folder, 'password');
    writeFileSync(path, 'correct horse battery');
    chmodSync(path, 0o644);
    const { HORARIUM_ADMIN_PASSWORD: _password, ...environment } = cli.environment;
    const io = { environment: { ...environment, HORARIUM_ADMIN_PASSWORD: '', HORARIUM_ADMIN_PASSWORD_FILE: path } };
    const { code, err } = await cli.command('config', io);
    expect([code, err]).to.deep.equal([
      0,
      `Warning: every user of this machine can read ${path}, which HORARIUM_ADMIN_PASSWORD_FILE names; chmod 600 keeps it to its owner.\n`,
    ]);
    expect((await cli.command('migrate', io)).err).to.equal('');
    chmodSync(path, 0o640);
    expect((await cli.command('config', io)).err).to.equal('');
  });
});
