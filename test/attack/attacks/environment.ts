import type { Attack } from '../attack.ts';
import type { Target } from '../target.ts';

/** Variables by which loaders and interpreters run code or read files of the attacker's choice. */
const loaderVariables = (
  'LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT GCONV_PATH GLIBC_TUNABLES PATH BASH_ENV ENV SHELLOPTS BASHOPTS PS4 ZDOTDIR ' +
  'PERL5OPT PERL5LIB PERL5DB PYTHONPATH PYTHONHOME PYTHONSTARTUP RUBYOPT RUBYLIB GEM_PATH NODE_OPTIONS NODE_PATH ' +
  'JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH PHPRC PHP_INI_SCAN_DIR LUA_INIT OPENSSL_CONF ' +
  'GIT_SSH_COMMAND GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_PAGER LESSOPEN LESSCLOSE PAGER EDITOR VISUAL BROWSER DOTNET_STARTUP_HOOKS'
).split(' ');

/** What the service itself gives to jobs. */
const ownVariables = /^(PATH|HOME|LOGNAME|USER|LANG|TZ|PWD|OLDPWD|SHLVL|_|HORARIUM_\w+)$/;

const onlyDeclaredKeys: Attack = {
  claim: 'Only variables that an App or a credential type declares reach its jobs',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const app = await target.addShellApp('env');
    const { id: company_id, manager, operator } = tenant;
    const template = { name: 'Attack', company_id, app_id: app, interval: 'none', environment: { BASH_ENV: '/tmp/x' } };
    const saved = await manager.post('/runtemplate/', template);
    if (saved.status !== 422) return `a template with BASH_ENV was saved: ${saved.status}`;

    const credential = { name: 'Untyped', company_id };
    const values = { BASH_ENV: '/tmp/x' };
    const loader = await manager.post('/credential/', { ...credential, values });
    if (loader.status !== 422) return `a credential with BASH_ENV was saved: ${loader.status}`;
    const undeclared = await manager.save('credential', { ...credential, values: { UNDECLARED: 'x' } });
    const runtemplate_id = await target.addTemplate(tenant, app, { credentials: [undeclared.id] });
    const overridden = await operator.post('/job/', { runtemplate_id, environment: { BASH_ENV: '/tmp/x' } });
    if (overridden.status !== 422) return `a job with BASH_ENV was scheduled: ${overridden.status}`;
    const { stdout } = await target.run(tenant, runtemplate_id);
    return stdout.includes('UNDECLARED')
      ? 'an untyped credential handed on a variable that the App does not declare'
      : null;
  },
};

const noLoaderVariables: Attack = {
  claim: 'Nobody declares a variable that a loader or an interpreter obeys',
  attempt: async ({ admin }) => {
    const accepted: string[] = [];
    for (const name of loaderVariables) {
      const app = { name: 'Loader', executable: 'true', environment: { [name]: { type: 'text' } } };
      const type = { code: `loader-${name}`, name: 'Loader', fields: [{ keyword: name, default: '/tmp/x' }] };
      if ((await admin.post('/app/', app)).status !== 422) accepted.push(name);
      if ((await admin.post('/credential_type/', type)).status !== 422) accepted.push(`${name} (credential type)`);
    }
    return accepted.length === 0 ? null : `declared: ${accepted.join(', ')}`;
  },
};

const typesByAdministrators: Attack = {
  claim: 'Only administrators write credential types',
  attempt: async (target) => {
    const { client } = await target.addUser('editor');
    const { status } = await client.post('/credential_type/', { code: 'by-editor', name: 'By an editor', fields: [] });
    return status === 403 ? null : `an editor's credential type: ${status}`;
  },
};

const cleanEnvironment: Attack = {
  claim: "A job gets nothing of the server's own environment",
  attempt: async (target) => {
    const names = await namesInEnvironment(target);
    const foreign = names.filter((name) => !ownVariables.test(name));
    return foreign.length === 0 ? null : `a job got ${foreign.join(', ')}`;
  },
};

async function namesInEnvironment(target: Target): Promise<string[]> {
  const tenant = await target.addTenant();
  const template = await target.addTemplate(
    tenant,
    await target.addShellApp('env -0 | cut -z -d= -f1 | tr "\\0" "\\n"'),
  );
  const { stdout } = await target.run(tenant, template);
  return stdout.trim().split('\n');
}

export const environmentAttacks = [onlyDeclaredKeys, noLoaderVariables, typesByAdministrators, cleanEnvironment];
