import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { ownUser } from '../../plugins/process/users/users.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { spawnService } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';

const crontab = `HELLO=there
@reboot echo up again
0 4 * * * [ -x /no/such ] && /no/such
0 3 * * * pwd; echo $HOME $LOGNAME $SHELL $PATH $HELLO; cat%one%two
`;

describe('The jobs of a crontab', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    writeFileSync(join(cli.folder, 'tab'), crontab);
    for (const line of ['migrate', 'company:save --code acme --name Acme', 'crontab:sync tab --company acme'])
      expect((await cli.command(line)).code, line).to.equal(0);
  });
  after(() => cli[Symbol.dispose]());

  const jobsOf = async (code: string) => {
    const { json } = await cli.command(`job:list --runtemplate-id ${code} --state succeeded --format json`);
    return json as { id: number }[];
  };
  async function serve(work: () => Promise<void>): Promise<void> {
    const { service } = await spawnService(cli);
    try {
      await work();
    } finally {
      service.process.kill('SIGTERM');
      await service.ended;
    }
  }

  it('run in HOME, with the environment and the input of cron', () =>
    serve(async () => {
      expect((await cli.command('runtemplate:run tab-pwd')).code).to.equal(0);
      const [job] = await eventually('the job has succeeded', async () => {
        const jobs = await jobsOf('tab-pwd');
        return jobs.length > 0 && jobs;
      });
      const home = ownUser()?.home ?? homedir();
      expect((await cli.command(`job:output ${job?.id}`)).out).to.equal(
        `${home}\n${home} ${ownUser()?.name} /bin/sh /usr/bin:/bin there\none\ntwo\n`,
      );
      expect(await jobsOf('tab-echo')).to.deep.equal([]);
    }));

  it('succeed with exit code 1 once their App says so, also after another sync', () =>
    serve(async () => {
      const { json } = await cli.command('runtemplate:get tab-such --format json');
      const exitCodes = JSON.stringify({ 1: { severity: 'success' } });
      await cli.run(['app:save', '--id', String(json.app_id), '--exit-codes', exitCodes]);
      expect((await cli.command('crontab:sync tab --company acme')).err).to.equal('3 unchanged.\n');
      expect((await cli.command('runtemplate:run tab-such')).code).to.equal(0);
      await eventually('the job has succeeded', async () => (await jobsOf('tab-such')).length > 0);
    }));

  it('run once after a boot of the machine, when the service starts', async () => {
    // What the kernel calls this boot cannot be changed, so the last one before it is.
    const database = new Database(join(cli.folder, 'h.sqlite'));
    database.prepare("update horarium_crontab_source set boot_id = 'former' where at_boot is not null").run();
    database.close();
    for (let start = 0; start < 2; start += 1)
      await serve(async () => {
        const [job] = await eventually('the job has succeeded', async () => {
          const jobs = await jobsOf('tab-echo');
          return jobs.length > 0 && jobs;
        });
        expect((await cli.command(`job:output ${job?.id}`)).out).to.equal('up again\n');
      });
    expect(await jobsOf('tab-echo')).to.have.length(1);
  });
});
