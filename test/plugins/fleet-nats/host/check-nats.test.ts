import { chownSync, copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { userNamed } from '../../../../plugins/process/users/users.ts';
import { temporaryFolder } from '../../../support/mocha/temporary-folder.ts';
import { FleetWorld } from '../../../support/nats/fleet-world.ts';
import { natsServer } from '../../../support/nats/test-nats.ts';
import { runDoctor } from '../../../support/program/doctor.ts';
import { SpawnedProgram } from '../../../support/program/spawned-program.ts';
import { TestCli } from '../../../support/program/test-cli.ts';

describe('The check of NATS by doctor', () => {
  it('is left out without the plugin', async () => {
    using cli = new TestCli();
    expect((await runDoctor(cli)).of('NATS')).to.deep.equal([]);
  });

  describe('with the plugin (HORARIUM_TEST_NATS_SERVER)', () => {
    let world: FleetWorld;
    beforeEach(async function () {
      if (natsServer === undefined) return this.skip();
      world = await FleetWorld.create('sqlite');
    });
    afterEach(() => world?.[Symbol.asyncDispose]());

    const check = async (options: object = {}) => {
      const set = world.service.cli.environment['HORARIUM_PLUGIN_OPTIONS'] as string;
      const fleet = { ...JSON.parse(set)['fleet-nats'], ...options };
      const environment = { HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'fleet-nats': fleet }) };
      const { code, of } = await runDoctor(world.service.cli, environment);
      return { code, rows: of('NATS') };
    };
    const failure = (found: string) => ({
      code: 1,
      rows: [{ check: 'NATS', state: 'fail', found, advice: 'horarium help nats' }],
    });

    it('fails where no server is named, or the keys of the hosts are not there, and makes nothing', async () => {
      const key = join(world.nats.folder, 'hosts.key');
      expect(await check({ servers: [] })).to.deep.equal(
        failure('The option servers of fleet-nats names no NATS server.'),
      );
      expect(await check()).to.deep.equal(
        failure(`There is no key file of the hosts ${key}: the service makes it when it starts.`),
      );
      expect(existsSync(key)).to.equal(false);
    });

    it('fails where root alone may read the keys of the hosts, and so does the service, which says what to do', async function () {
      const nobody = process.getuid?.() === 0 ? userNamed('nobody') : null;
      if (!nobody) return this.skip();
      await world.applyPermissions();
      const folder = temporaryFolder('keys-of-root');
      chownSync(folder, nobody.uid, nobody.gid);
      const key = join(folder, 'hosts.key');
      copyFileSync(join(world.nats.folder, 'hosts.key'), key);
      const belongs = `The key file of the hosts ${key} belongs to root, and its folder to the user of the service`;
      const { rows } = await check({ host_key_file: key });
      expect(rows[0]).to.include({ state: 'fail', found: `${belongs}: chown --reference=${folder} ${key}` });
      const fleet = { servers: [world.nats.url], host_key_file: key };
      const environment = {
        HORARIUM_DATABASE_URL: 'sqlite:horarium.db',
        HORARIUM_PORT: '0',
        HORARIUM_PLUGINS: 'built-in,fleet-nats',
        HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'fleet-nats': fleet }),
      };
      const service = new SpawnedProgram(['serve'], { folder, environment } as never, { user: nobody });
      const remedy = 'it belongs to root, and must be of the user who runs the service';
      await service.waitForError(new RegExp(`${key} cannot be read \\(EACCES\\): ${remedy} \\(chown nobody ${key}\\)`));
      service.process.kill('SIGTERM');
      expect(await service.ended).to.equal(0);
      rmSync(folder, { recursive: true });
    });

    it('tells where NATS lets the hosts in, and how many reports wait once the service has made its streams', async () => {
      await world.applyPermissions();
      const server = `127.0.0.1:${world.nats.port}`;
      const ok = (found: string) => [{ check: 'NATS', state: 'ok', found, advice: '' }];
      expect((await check()).rows).to.deep.equal(
        ok(`${server} lets the hosts in; the service makes its streams when it starts`),
      );
      await world.addAgent('gpu1');
      await world.startService();
      await world.jobIn(await world.run(await world.addTemplate('quick', 'true')), 'succeeded');
      expect((await check()).rows).to.deep.equal(ok(`${server} lets the hosts in; no report of an agent waits there`));
    });

    it('fails where NATS has no user for the keys of the hosts, or does not answer', async () => {
      await world.applyPermissions();
      const { rows } = await check({ host_key_file: join(world.nats.folder, 'other.key') });
      expect(rows[0]).to.include({ state: 'fail' });
      await world.nats.kill();
      const [down] = (await check()).rows;
      expect(down?.state).to.equal('fail');
      expect(down?.found).to.match(
        new RegExp(`^The NATS server ${world.nats.url} does not let the host \\S+ in: nothing listens there\\.$`),
      );
    });
  });
});
