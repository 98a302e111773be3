import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { encodeCredential } from '../../../plugins/fleet-nats/wire/keys/credential.ts';
import { PrivateKeys } from '../../../plugins/fleet-nats/wire/keys/keys.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { FleetWorld } from '../../support/nats/fleet-world.ts';
import { natsServer } from '../../support/nats/test-nats.ts';
import { SpawnedProgram } from '../../support/program/spawned-program.ts';
import { freePort } from '../../support/run/free-port.ts';

describe('An agent that NATS has let in (HORARIUM_TEST_NATS_SERVER)', () => {
  it('says what it waits for, and that it has joined once a host has accepted it', async function () {
    if (natsServer === undefined) return this.skip();
    await using world = await FleetWorld.create('sqlite');
    const { program } = await world.addAgent('gpu1');
    await program.waitForError(/the agent has started, and waits for a host to accept it/);
    expect(program.err).not.to.include('it has joined');
    await world.startService();
    await program.waitForError(/a host has accepted the agent: it has joined/);
  });
});

describe('An agent that cannot join', () => {
  const folder = temporaryFolder('refused-agent');
  after(() => rmSync(folder, { recursive: true, force: true }));

  const refusal = async (credential: string, ...options: readonly string[]) => {
    writeFileSync(join(folder, 'credential'), credential, { mode: 0o600 });
    const environment = { HORARIUM_RUN_AS: process.getuid?.() === 0 ? 'root' : '' };
    const agent = new SpawnedProgram(['agent', '--credential', 'credential', ...options], {
      folder,
      environment,
    } as never);
    return { code: await agent.ended, err: agent.messages };
  };

  it('says in a sentence that its credential is none', async () => {
    const err = 'The credential is not that of an agent: it must begin with hora_1_.\n';
    expect(await refusal('garbage')).to.deep.equal({ code: 1, err });
  });

  it('says in a sentence that NATS is not there, and shows nothing of its credential', async () => {
    const keys = PrivateKeys.generate();
    const servers = [`nats://127.0.0.1:${await freePort()}`];
    const hosts = PrivateKeys.generate().publicKeys;
    const credential = { agent: 'gpu1', pools: ['gpu'], servers, prefix: 'horarium', keys, hosts, jwt: null };
    const err = `The NATS server ${servers[0]} does not let the agent gpu1 in: nothing listens there.\n`;
    expect(await refusal(encodeCredential(credential))).to.deep.equal({ code: 1, err });
    const moved = [await freePort(), await freePort()].map((port) => `nats://127.0.0.1:${port}`);
    const others = `None of the NATS servers ${moved.join(', ')} lets the agent gpu1 in: nothing listens there.\n`;
    const options = moved.flatMap((server) => ['--server', server]);
    expect(await refusal(encodeCredential(credential), ...options)).to.deep.equal({ code: 1, err: others });
    const wrong = 'nats.example.com must be the URL of a NATS server, such as tls://nats.example.com:4222.\n';
    expect(await refusal(encodeCredential(credential), '--server', 'nats.example.com')).to.include({ err: wrong });
  });
});
