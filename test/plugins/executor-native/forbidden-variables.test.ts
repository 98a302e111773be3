import { expect } from 'chai';
import { variableRefusal } from '#core/app/forbidden-variables';
import { forbiddenVariables } from '../../../plugins/executor-native/forbidden-variables.ts';
import { companyWithSecrets } from '../../support/secrets/company-with-secrets.ts';
import { recordWorld, refusal, smallCompany } from '../../support/worlds/record-world.ts';

const refusalOf = (name: string, groups = forbiddenVariables) =>
  variableRefusal(new Map([['native', { options: {}, forbiddenVariables: groups }]]), name);

/** Variables that run code in a program each, also those that only a pattern names. */
const dangerous = [
  ...['PATH', 'HOME', 'SHELL', 'EDITOR', 'XDG_CONFIG_HOME', 'LD_PRELOAD', 'LD_AUDIT', 'GCONV_PATH', 'GLIBC_TUNABLES'],
  ...[
    'BASH_ENV',
    'ENV',
    'BASH_FUNC_ls',
    'SHELLOPTS',
    'PS4',
    'ZDOTDIR',
    'PERL5OPT',
    'PERL5LIB',
    'PERL5DB',
    'PYTHONPATH',
  ],
  ...['PYTHONWARNINGS', 'PIP_INDEX_URL', 'RUBYOPT', 'BUNDLE_GEMFILE', 'NODE_OPTIONS', 'npm_config_script_shell'],
  ...[
    'NPM_CONFIG_REGISTRY',
    'Npm_Config_Prefix',
    'JAVA_TOOL_OPTIONS',
    '_JAVA_OPTIONS',
    'JDK_JAVA_OPTIONS',
    'CLASSPATH',
  ],
  ...['PHPRC', 'LUA_INIT_5_4', 'R_PROFILE_USER', 'TCL8_6_TM_PATH', 'DOTNET_STARTUP_HOOKS', 'CORECLR_PROFILER_PATH_64'],
  ...[
    'GOFLAGS',
    'MAKEFLAGS',
    'RUSTC_WRAPPER',
    'GIT_SSH_COMMAND',
    'GIT_CONFIG_KEY_0',
    'RSYNC_RSH',
    'LESSOPEN',
    'VIMINIT',
  ],
  ...['PSQLRC', 'WGETRC', 'OPENSSL_CONF', 'DBUS_SESSION_BUS_ADDRESS', 'KUBECONFIG', 'ANSIBLE_LIBRARY', 'TAR_OPTIONS'],
  ...[
    'RCLONE_CONFIG_BACKUP_SSH',
    'AWKPATH',
    'GTK_MODULES',
    'QT_PLUGIN_PATH',
    'VK_LAYER_PATH',
    'OMPI_MCA_plm_rsh_agent',
  ],
];

/** Variables that Apps need, and names that resemble dangerous ones. */
const harmless = [
  ...['PGHOST', 'PGPASSWORD', 'PGPASSFILE', 'MYSQL_PWD', 'http_proxy', 'HTTPS_PROXY', 'no_proxy', 'SSL_CERT_FILE'],
  ...['LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'USER', 'LOGNAME', 'TERM', 'PYTHONUNBUFFERED', 'NODE_ENV', 'GIT_AUTHOR_NAME'],
  ...[
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'CARGO_REGISTRY_TOKEN',
    'TF_VAR_region',
    'RCLONE_CONFIG_BACKUP_PASS',
  ],
  ...[
    'RESTIC_PASSWORD',
    'DOTNET_ENVIRONMENT',
    'GOMAXPROCS',
    'LESSON',
    'CC',
    'ZIP',
    'path',
    'home',
    'MY_PATH',
    'BASHFUL',
  ],
];

describe('Variables by which programs run code', () => {
  it('are known, also by patterns, and in any case where a program ignores it', () => {
    expect(dangerous.filter((name) => refusalOf(name) === null)).to.deep.equal([]);
  });

  it('leave those that only say where to connect, as whom, or how to format', () => {
    expect(harmless.filter((name) => refusalOf(name) !== null)).to.deep.equal([]);
  });

  it('are listed once each', () => {
    const names = forbiddenVariables.flatMap((group) => group.names.map((name) => ({ group, name })));
    const others = (group: (typeof forbiddenVariables)[number]) => forbiddenVariables.filter((each) => each !== group);
    const repeated = names.filter(({ group, name }) => refusalOf(name.replaceAll('*', 'x'), others(group)) !== null);
    expect(repeated.map(({ name }) => name)).to.deep.equal([]);
    expect(new Set(names.map(({ name }) => name)).size).to.equal(names.length);
  });

  it('can be declared by no App and no credential type, whose errors name the programs', async () => {
    const world = recordWorld();
    await smallCompany(world);
    const save = (environment: object) => refusal(world.save('App', { id: 1, environment }));
    const messages = ({ errors }: Awaited<ReturnType<typeof refusal>>) => errors.map(({ message }) => message);
    const service = 'cannot be declared or set: the service alone sets HORARIUM_* and EVENT_*';
    expect(messages(await save({ BASH_ENV: {}, npm_config_registry: {} }))).to.deep.equal([
      'environment.BASH_ENV cannot be declared or set: sh, bash, ksh and zsh run code from it, or find scripts and functions there',
      'environment.npm_config_registry cannot be declared or set: npm and yarn start the shell, pass node the options, or use the registry that it names',
    ]);
    expect(messages(await save({ HORARIUM_JOB_ID: {}, EVENT_ID: {} }))).to.deep.equal([
      `environment.HORARIUM_JOB_ID ${service}`,
      `environment.EVENT_ID ${service}`,
    ]);
    const type = (keyword: string) =>
      refusal(world.save('CredentialType', { code: 't', name: 't', fields: [{ keyword }] }));
    expect(messages(await type('PERL5OPT'))).to.deep.equal([
      'fields[0].keyword PERL5OPT cannot be declared or set: perl loads modules and options from it',
    ]);
    expect(messages(await type('EVENT_ID'))).to.deep.equal([`fields[0].keyword EVENT_ID ${service}`]);
  });

  it('keep a job from its start, when the App was saved where no executor forbade them', async () => {
    const { world, company, template, prepare } = await companyWithSecrets();
    await world.save('App', { id: template.app_id, environment: { CUSTOM_LOADER: {} } });
    await world.save('Company', { id: company.id, environment: { CUSTOM_LOADER: '/tmp/code' } });
    const group = { programs: 'custom', effect: 'loads code from it', names: ['CUSTOM_*'] };
    const executors = new Map([['native', { options: {}, forbiddenVariables: [group] }]]);
    const { prepared } = await prepare({}, 'native', {}, executors);
    expect(prepared.refusal).to.equal('CUSTOM_LOADER cannot be declared or set: custom loads code from it');
  });
});
