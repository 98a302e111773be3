import { expect } from 'chai';
import { readConfig } from '../../host/config/read-config.ts';
import { checkAgentJobsAsRoot, checkJobsAsRoot } from '../../host/jobs-as-root.ts';

const machine = { cores: 2, timezone: 'UTC', terminal: false };

/** What a service with these settings does as root: starts with a warning, starts, or refuses with a sentence. */
function startAsRoot(flags: Readonly<Record<string, string>>, uid = 0) {
  try {
    return checkJobsAsRoot(readConfig({ environment: {}, flags, machine }).config, uid) === null ? 'starts' : 'warns';
  } catch (error) {
    return (error as Error).message.replace(/:.*/, '');
  }
}

describe('A service that runs as root', () => {
  const refusals = {
    '{"host":"0.0.0.0"}': 'Native jobs would run as root while the service listens on 0.0.0.0',
    '{"host":"jobs.example.com"}': 'Native jobs would run as root while the service listens on jobs.example.com',
    '{"host":"127.0.0.1.example.com"}':
      'Native jobs would run as root while the service listens on 127.0.0.1.example.com',
    '{"public_url":"http://localhost"}': 'Native jobs would run as root while the service has the public URL http',
    '{"trust_proxy":"127.0.0.1"}': 'Native jobs would run as root while the service trusts a proxy',
  };

  it('warns that jobs run as root while only this machine reaches it', () => {
    for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', 'LOCALHOST', '::1'])
      expect(startAsRoot({ host })).to.equal('warns');
  });

  it('refuses to start where others reach it', () => {
    for (const [flags, sentence] of Object.entries(refusals)) expect(startAsRoot(JSON.parse(flags))).to.equal(sentence);
  });

  it('starts where a setting says as whom jobs run, be it root, or where it is not root', () => {
    const native = '{"executor-native": {"run_as": "nobody"}}';
    for (const flags of Object.keys(refusals).map((text) => JSON.parse(text))) {
      for (const run_as of ['nobody', 'root']) expect(startAsRoot({ ...flags, run_as })).to.equal('starts');
      expect(startAsRoot({ ...flags, plugin_options: native })).to.equal('starts');
      expect(startAsRoot(flags, 1000)).to.equal('starts');
    }
  });
});

describe('An agent that runs as root', () => {
  const start = (flags: Readonly<Record<string, string>>, uid = 0) =>
    checkAgentJobsAsRoot(readConfig({ environment: {}, flags, machine }).config, uid);

  it('refuses to start, because its jobs come from other machines, unless a setting says as whom they run', () => {
    expect(() => start({})).to.throw('Native jobs would run as root while the agent takes jobs from other machines: ');
    for (const run_as of ['nobody', 'root']) start({ run_as });
    start({}, 1000);
  });
});
