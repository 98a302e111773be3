import { expect } from 'chai';
import { readConfig } from '../../../host/config/read-config.ts';
import { pluginOptions } from '../../../host/plugins/plugin-options.ts';

describe('pluginOptions', () => {
  const options = (flags: Readonly<Record<string, string>>, running = true) => {
    const machine = { cores: 1, timezone: 'Europe/Prague', terminal: false };
    return pluginOptions(readConfig({ environment: {}, flags, machine }).config, running);
  };
  const native = 'executor-native';

  it('tells the executors what the settings say about jobs', () => {
    expect(options({ run_as: 'nobody', executables: '/bin,/opt/jobs', output_cap: '64KiB' })).to.deep.equal({
      [native]: {
        timezone: 'Europe/Prague',
        output_limit: 65_536,
        executables: ['/bin', '/opt/jobs'],
        run_as: 'nobody',
      },
      'executor-external': { output_limit: 65_536 },
    });
  });

  it('lets the options of the plugin itself win', () => {
    const plugin_options = '{"executor-native": {"grace": 3, "run_as": "daemon"}, "other": {"a": 1}}';
    const given = options({ run_as: 'nobody', plugin_options });
    expect(given).to.have.property('other').that.deep.equals({ a: 1 });
    expect(given[native]).to.include({ grace: 3, run_as: 'daemon' });
  });

  it('does not ask a command that runs no jobs to be able to', () => {
    expect(options({ run_as: 'nobody' }, false)[native]).to.not.have.any.keys('run_as', 'executables');
  });

  it('says nothing to executors that are not wanted', () => {
    expect(options({ plugins: 'format-json' })).to.deep.equal({});
  });
});
