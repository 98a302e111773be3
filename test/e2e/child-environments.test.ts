import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/mocha/eventually.ts';
import { descendantProcesses } from '../support/program/processes.ts';
import { spawnService } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';

/** A plugin that starts a program as plugins do that think of no environment. */
const plugin = `
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
export default {
  name: 'starts-programs',
  api: 1,
  start: () => writeFileSync('inherited', execFileSync('/usr/bin/env')),
};`;

const namesIn = (environ: string) =>
  environ
    .split('\0')
    .filter(Boolean)
    .map((variable) => variable.split('=')[0]);

describe('The environment of the processes that a service starts', () => {
  it('has no secret of the service, and for launcher and jobs nothing of its environment', async () => {
    using cli = new TestCli(undefined, {
      HORARIUM_PLUGINS: 'built-in,./starts-programs.mjs',
      HORARIUM_PLUGIN_OPTIONS: '{"executor-native": {"grace": 1}}',
      CREDENTIALS_DIRECTORY: '/run/credentials/horarium.service',
      OUTSIDE: 'of the service',
    });
    writeFileSync(join(cli.folder, 'starts-programs.mjs'), plugin);
    const { service } = await spawnService(cli);
    try {
      const inherited = readFileSync(join(cli.folder, 'inherited'), 'utf8');
      expect(inherited).to.include('OUTSIDE=');
      for (const name of ['ADMIN_PASSWORD', 'DATABASE_URL', 'PLUGIN_OPTIONS', 'VAULT_KEY'])
        expect(inherited).not.to.include(`HORARIUM_${name}`);
      for (const line of [
        'company:save --code acme --name Acme',
        'app:save --name Wait --executable sleep --set arguments=["600"]',
        'runtemplate:save --name wait --app-id 1 --company-id 1 --interval none',
        'runtemplate:run 1',
      ])
        expect((await cli.command(line)).code, line).to.equal(0);
      const processes = () => descendantProcesses(service.process.pid as number);
      const isJob = ({ cmdline }: { cmdline: string }) => cmdline.startsWith('sleep\0');
      const job = await eventually('the job runs', () => processes().find(isJob));
      expect(namesIn(job.environ)).to.have.members([
        ...['PATH', 'HOME', 'LOGNAME', 'USER', 'LANG', 'TZ'],
        ...[
          'JOB_ID',
          'RUNTEMPLATE_ID',
          'COMPANY_CODE',
          'ATTEMPT',
          'WORKDIR',
          'PROGRESS_FILE',
          'PING_URL',
          'INVOCATION_ID',
        ].map((name) => `HORARIUM_${name}`),
      ]);
      const helpers = processes().filter((process) => !isJob(process));
      expect(helpers).to.not.be.empty;
      // The launcher, and what kills the jobs of a launcher that dies.
      const names = helpers.flatMap(({ environ }) => namesIn(environ));
      expect(['UV_THREADPOOL_SIZE', 'PATH']).to.include.members(names);
    } finally {
      service.process.kill('SIGKILL');
      await service.ended;
    }
  });
});
