import { HorariumError } from '@horarium/core';
import { expect } from 'chai';
import { type Given, readConfig } from '../../../host/config/read-config.ts';
import type { Machine } from '../../../host/config/setting.ts';
import { settings } from '../../../host/config/settings.ts';
import { effectiveRows } from '../../../host/config/settings-table.ts';

const machine: Machine = { cores: 3, timezone: 'Europe/Prague', terminal: false };
const read = (given: Partial<Given>) => readConfig({ environment: {}, flags: {}, machine, ...given });
const refusal = (given: Partial<Given>): string => {
  try {
    read(given);
  } catch (error) {
    if (error instanceof HorariumError) return error.message;
    throw error;
  }
  throw new Error('The settings were accepted.');
};

describe('readConfig', () => {
  it('fills in the documented defaults', () => {
    const { config } = read({});
    expect(config).to.include({
      host: '127.0.0.1',
      port: 8080,
      public_url: null,
      sqlite_synchronous: 'full',
      admin_password: null,
      vault_key: null,
      timezone: 'Europe/Prague',
      workers: 12,
      run_as: null,
      executables: null,
      plugins: null,
      log_level: 'info',
      log_format: 'json',
      login_ttl: 12 * 3_600_000,
      max_output: 10 * 1024 * 1024,
      max_body: 1024 * 1024,
    });
    expect(config.database_url).to.include({ file: 'var/horarium.sqlite' });
  });

  it('prefers flags to the environment and the environment to the file', () => {
    const file = { path: 'h.yaml', values: { port: '1', host: 'from-file', workers: '7' } };
    const { config, effective } = read({
      file,
      environment: { HORARIUM_PORT: '2', HORARIUM_HOST: 'from-environment' },
      flags: { port: '3' },
    });
    expect([config.port, config.host, config.workers]).to.deep.equal([3, 'from-environment', 7]);
    const sources = Object.fromEntries(effective.map((each) => [each.setting.name, each.source]));
    expect(sources).to.include({ port: 'flag', host: 'environment', workers: 'h.yaml', lease: 'default' });
  });

  it('treats an empty variable as unset', () => {
    expect(read({ environment: { HORARIUM_PORT: '' } }).config.port).to.equal(8080);
  });

  it('rejects an unknown variable and suggests the one that was probably meant', () => {
    expect(refusal({ environment: { HORARIUM_DATABSE_URL: 'memory:' } })).to.equal(
      'The environment variable HORARIUM_DATABSE_URL is not a setting. Did you mean HORARIUM_DATABASE_URL?',
    );
    expect(refusal({ environment: { HORARIUM_XYZZY: '1' } })).to.equal(
      'The environment variable HORARIUM_XYZZY is not a setting.',
    );
    expect(refusal({ file: { path: 'h.yaml', values: { wrokers: '1' } } })).to.equal(
      'wrokers in h.yaml is not a setting. Did you mean workers?',
    );
  });

  it('ignores the variables of a job, so that jobs may call the command line', () => {
    expect(
      read({
        environment: { HORARIUM_JOB_ID: '1', HORARIUM_PING_URL: 'http://x', HORARIUM_PROGRESS_FILE: '/p', OTHER: '1' },
      }).config,
    ).to.be.an('object');
  });

  it('rejects an invalid value with a sentence that names its source', () => {
    const wrong: [Partial<Given>, string][] = [
      [{ environment: { HORARIUM_PORT: '80a' } }, 'HORARIUM_PORT must be a whole number from 0 to 65535, not 80a.'],
      [{ flags: { port: '65536' } }, '--port must be a whole number from 0 to 65535, not 65536.'],
      [
        { flags: { log_level: 'loud' } },
        '--log-level must be one of fatal, error, warn, info, debug, trace, silent, not loud.',
      ],
      [
        { file: { path: 'h.yaml', values: { timezone: 'Mars/Olympus' } } },
        'timezone in h.yaml must be a time zone such as Europe/Prague, not Mars/Olympus.',
      ],
      [
        { environment: { HORARIUM_SHUTDOWN_GRACE: '30' } },
        'HORARIUM_SHUTDOWN_GRACE must be a duration such as 45s, 15m, 12h or 90d, not 30.',
      ],
      [
        { environment: { HORARIUM_LEASE: '1s' } },
        'HORARIUM_LEASE must be a duration such as 45s, 15m, 12h or 90d, 2s or more, 12s at most, not 1s.',
      ],
      [
        { environment: { HORARIUM_TRUST_PROXY: '10.0.0.1, 0.0.0.0/0' } },
        'HORARIUM_TRUST_PROXY must be an IP address or a CIDR range such as 10.0.0.0/8, but not /0; several are separated by commas, not 10.0.0.1, 0.0.0.0/0.',
      ],
      [
        { environment: { HORARIUM_PUBLIC_URL: 'https://me:pw@x' } },
        'HORARIUM_PUBLIC_URL must be an address such as https://jobs.example.com, not https://me:••••••••@x.',
      ],
      [
        { environment: { HORARIUM_PUBLIC_URL: 'https://:pw@x' } },
        'HORARIUM_PUBLIC_URL must be an address such as https://jobs.example.com, not https://:••••••••@x.',
      ],
      [{ environment: { HORARIUM_TLS_KEY: 'k' } }, 'HORARIUM_TLS_CERT and HORARIUM_TLS_KEY must be set together.'],
    ];
    for (const [given, sentence] of wrong) expect(refusal(given)).to.equal(sentence);
  });

  it('reports every invalid setting at once', () => {
    expect(refusal({ environment: { HORARIUM_PORT: 'x', HORARIUM_WORKERS: '-1' } }).split('\n')).to.have.length(2);
  });

  it('masks secrets in the table and in refusals', () => {
    const secrets = { HORARIUM_ADMIN_PASSWORD: 'correct horse', HORARIUM_DATABASE_URL: 'postgres://u:hunter2@h/d' };
    const shown = JSON.stringify(effectiveRows(read({ environment: secrets }).effective));
    expect(shown).to.include('postgres://u:••••••••@h/d');
    expect(shown).to.not.match(/horse|hunter2/);
    expect(refusal({ environment: { HORARIUM_VAULT_KEY: 'hunter2' } })).to.equal(
      'HORARIUM_VAULT_KEY must be 32 bytes in base64; several are separated by commas, not what it is set to.',
    );
    for (const url of [
      'mysql://u:hunter2@h/d',
      'postgresql+asyncpg://u:hunter2@h/d',
      'jdbc:postgresql://u:hunter2@h/d',
      'postgres:/u:hunter2@h/d',
      'u:hunter2@h/d',
      'host=h password=hunter2',
    ])
      expect(refusal({ environment: { HORARIUM_DATABASE_URL: url } })).to.not.include('hunter2');
    expect(refusal({ environment: { HORARIUM_DATABASE_URL: 'h.sqlite' } })).to.include('not h.sqlite.');
  });

  it('reads the URL of each kind of database', () => {
    const database = (url: string) => read({ flags: { database_url: url } }).config.database_url;
    expect(database('memory:')).to.have.nested.include({ 'database.kind': 'memory' });
    const sqlite = { 'database.kind': 'sqlite', file: '/srv/h.sqlite', url: 'sqlite:/srv/h.sqlite' };
    for (const url of ['sqlite:/srv/h.sqlite', 'sqlite:///srv/h.sqlite'])
      expect(database(url)).to.have.nested.include(sqlite);
    const postgresql = { 'database.kind': 'postgresql', url: 'postgres://u:p@h:5432/d' };
    expect(database('postgres://u:p@h:5432/d')).to.have.nested.include(postgresql);
    expect(refusal({ flags: { database_url: 'postgres://u:p@h' } })).to.equal(
      '--database-url must be sqlite:PATH, postgres://USER:PASSWORD@HOST:PORT/NAME or memory:, ' +
        'not postgres://u:••••••••@h: the name of the database is missing after the host.',
    );
  });

  it('accepts every documented default', () => {
    for (const setting of settings) {
      const defaultValue = typeof setting.default === 'function' ? setting.default(machine) : setting.default;
      if (defaultValue !== null) expect(() => setting.read(defaultValue), setting.name).to.not.throw();
    }
  });
});
