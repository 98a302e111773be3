import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FleetWorld } from '../../../support/nats/fleet-world.ts';
import { natsServer } from '../../../support/nats/test-nats.ts';
import { runDoctor } from '../../../support/program/doctor.ts';
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
