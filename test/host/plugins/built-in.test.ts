import { expect } from 'chai';
import { readConfig } from '../../../host/config/read-config.ts';
import { pluginDefaults } from '../../../host/plugins/built-in.ts';

describe('pluginDefaults', () => {
  const defaults = (flags: Readonly<Record<string, string>>, serving = true) => {
    const machine = { cores: 1, timezone: 'Europe/Prague', terminal: false };
    return pluginDefaults(readConfig({ environment: {}, flags, machine }).config, serving);
  };

  it('translates the settings about jobs and requests to options of the executors and actions', () => {
    const given = {
      run_as: 'nobody',
      job_users: 'acme,20000-20999',
      executables: '/bin,/opt/jobs',
      max_output: '64KiB',
      outbound_networks: '10.0.0.0/8,127.0.0.1',
    };
    expect(defaults(given)).to.deep.equal({
      'executor-native': {
        timezone: 'Europe/Prague',
        max_output: 65_536,
        job_users: ['acme', '20000-20999'],
        executables: ['/bin', '/opt/jobs'],
        run_as: 'nobody',
      },
      'executor-external': { max_output: 65_536 },
      'executor-container': { max_output: 65_536 },
      'executor-http': { max_output: 65_536, allowed_networks: ['10.0.0.0/8', '127.0.0.1'] },
      'action-webhook': { allowed_networks: ['10.0.0.0/8', '127.0.0.1'] },
      'action-healthchecks': { allowed_networks: ['10.0.0.0/8', '127.0.0.1'] },
      'action-command': { executables: ['/bin', '/opt/jobs'], run_as: 'nobody' },
    });
  });

  it('leaves out what only a process that runs jobs needs', () => {
    const options = defaults({ run_as: 'nobody', job_users: 'acme' }, false)['executor-native'];
    expect(options).to.not.have.any.keys('run_as', 'executables');
    expect(options).to.deep.include({ job_users: ['acme'] });
  });
});
