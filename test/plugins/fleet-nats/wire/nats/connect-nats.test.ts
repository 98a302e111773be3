import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import { expect } from 'chai';
import { PrivateKeys } from '../../../../../plugins/fleet-nats/wire/keys/keys.ts';
import {
  connectNats,
  type NatsAccess,
  type TlsFiles,
} from '../../../../../plugins/fleet-nats/wire/nats/connect-nats.ts';
import { eventually } from '../../../../support/mocha/eventually.ts';
import { rejectionOf } from '../../../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../../../support/mocha/temporary-folder.ts';
import { NatsFleet } from '../../../../support/nats/nats-fleet.ts';
import { natsServer, TestNats } from '../../../../support/nats/test-nats.ts';
import { freePort } from '../../../../support/run/free-port.ts';
import { hasOpenssl, selfSignedCertificate } from '../../../../support/secrets/certificate.ts';

const noTls: TlsFiles = { ca: null, certificate: null, key: null };
const keys = PrivateKeys.generate();

function access(server: string, tls: Partial<TlsFiles> = {}): NatsAccess {
  return { name: 'agent anna', servers: [server], keys, jwt: null, inbox: '_INBOX_x', tls: { ...noTls, ...tls } };
}

async function refusalOf(given: NatsAccess): Promise<string> {
  return (await rejectionOf(connectNats(given))).message;
}

describe('A connection to NATS that there is none of', () => {
  const folder = temporaryFolder('connect');
  const servers: Server[] = [];

  after(async () => {
    rmSync(folder, { recursive: true });
    for (const server of servers) server.close();
  });

  /** A server that is none of NATS. */
  async function otherServer(greet: (socket: Socket) => void): Promise<string> {
    const server = createServer(greet).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('is refused where nothing listens', async () => {
    const server = `nats://127.0.0.1:${await freePort()}`;
    expect(await refusalOf(access(server))).to.equal(
      `The NATS server ${server} does not let the agent anna in: nothing listens there.`,
    );
  });

  it('is refused where none of several servers listens', async () => {
    const ports = [await freePort(), await freePort()];
    const urls = ports.map((port) => `nats://127.0.0.1:${port}`);
    expect(await refusalOf({ ...access(''), servers: urls })).to.equal(
      `None of the NATS servers ${urls.join(', ')} lets the agent anna in: nothing listens there.`,
    );
  });

  it('is refused where the name is unknown', async () => {
    expect(await refusalOf(access('nats://horarium.invalid'))).to.equal(
      'The NATS server nats://horarium.invalid does not let the agent anna in: its name is unknown, or names cannot be looked up.',
    );
  });

  it('is refused by a server of another protocol', async () => {
    const server = await otherServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await refusalOf(access(server))).to.equal(
      `The NATS server ${server} does not let the agent anna in: unexpected response from server.`,
    );
  });

  it('is refused by a server that closes the connection at once', async () => {
    const server = await otherServer((socket) => socket.destroy());
    expect(await refusalOf(access(server))).to.match(/ does not let the agent anna in: \S.*\.$/);
  });

  it('is refused by a server that does not answer', async () => {
    const server = await otherServer(() => undefined);
    expect(await refusalOf(access(server))).to.equal(
      `The NATS server ${server} does not let the agent anna in: it does not answer in time.`,
    );
  });

  const server = 'tls://localhost:4222';
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it('is refused with files that are not what they should be', async () => {
    const garbage = file('garbage.pem', 'garbage');
    const missing = join(folder, 'missing.pem');
    const notPem = `The file ${garbage} for TLS does not hold what it should in PEM.`;
    expect(await refusalOf(access(server, { ca: garbage }))).to.equal(notPem);
    expect(await refusalOf(access(server, { ca: missing }))).to.equal(
      `The file ${missing} for TLS cannot be read (ENOENT).`,
    );
    expect(await refusalOf(access(server, { certificate: garbage, key: garbage }))).to.equal(notPem);
    expect(await refusalOf(access(server, { key: garbage }))).to.equal(
      'A certificate of this client and its key must be set together.',
    );
    expect(await refusalOf(access('nats://localhost', { ca: garbage }))).to.equal(
      'Files for TLS are set, but the URLs of the NATS servers begin with nats://.',
    );
  });
});

describe('A connection to NATS (HORARIUM_TEST_NATS_SERVER)', () => {
  let fleet: NatsFleet;

  before(async function () {
    if (natsServer === undefined) this.skip();
    fleet = await new NatsFleet({ anna: ['gpu'], berta: ['gpu'] }).start();
  });

  after(() => fleet?.close());

  const refused =
    'its credential is refused, because the server has no such user, or the user was revoked or has expired.';

  it('is refused with the keys of nobody', async () => {
    expect(await refusalOf(access(fleet.server.url))).to.equal(
      `The NATS server ${fleet.server.url} does not let the agent anna in: ${refused}`,
    );
  });

  it('is made again after the server was killed', async () => {
    const connection = await fleet.connectAgent('anna');
    await fleet.server.kill();
    await fleet.server.run();
    await eventually('it is connected again', () =>
      connection.flush().then(
        () => true,
        () => false,
      ),
    );
    await connection.close();
  });

  /** Waits until the server has closed a connection. */
  async function disconnected(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) if (type === 'disconnect') return;
  }

  it('is closed as soon as the agent is revoked, refused from then on, and made again when the agent is let in', async () => {
    const [anna, berta] = [await fleet.connectAgent('anna'), await fleet.connectAgent('berta')];
    const closed = disconnected(anna);
    fleet.server.configure(fleet.configuration('anna'));
    await fleet.server.reload();
    await closed;
    expect(await refusalOf(fleet.accessOf('anna'))).to.include(refused);
    await berta.flush();
    expect(anna.isClosed()).to.equal(false);
    fleet.server.configure(fleet.configuration());
    await fleet.server.reload();
    await eventually('it is connected again', () =>
      anna.flush().then(
        () => true,
        () => false,
      ),
    );
  });

  it('is refused by a server whose messages are too small', async () => {
    const small = await new NatsFleet({ anna: ['gpu'] }).start('max_payload: 524288');
    try {
      expect((await rejectionOf(small.connectAgent('anna'))).message).to.equal(
        `The NATS server 127.0.0.1:${small.server.port} takes messages of at most 524288 bytes: its max_payload must be at least 589824.`,
      );
    } finally {
      await small.close();
    }
  });
});

describe('A connection to NATS with TLS (HORARIUM_TEST_NATS_SERVER)', () => {
  const folder = temporaryFolder('nats-tls');
  const servers: TestNats[] = [];
  const user = `authorization { users: [{ nkey: ${keys.publicKeys.texts.signing} }] }`;
  const path = (name: string) => join(folder, name);

  before(function () {
    if (natsServer === undefined || !hasOpenssl()) this.skip();
    for (const name of ['localhost', 'other.example']) {
      const { certificate, key } = selfSignedCertificate(name);
      writeFileSync(path(`${name}.pem`), certificate);
      writeFileSync(path(`${name}.key`), key);
    }
  });

  after(async () => {
    await Promise.all(servers.map((server) => server.close()));
    rmSync(folder, { recursive: true });
  });

  /** Starts a server. @returns its URL with the name `localhost`. */
  async function start(configuration: string): Promise<string> {
    const server = await TestNats.start(`${user}\n${configuration}`);
    servers.push(server);
    return `tls://localhost:${server.port}`;
  }

  const tls = (name: string, more = '') =>
    `tls { cert_file: "${path(`${name}.pem`)}", key_file: "${path(`${name}.key`)}" ${more} }`;
  const refusal = (server: string, reason: string) =>
    `The NATS server ${server} does not let the agent anna in: ${reason}.`;
  const notTrusted =
    'its certificate is of an authority that is not trusted here: name the file of that authority (--tls-ca of an agent, tls_ca of the hosts)';

  it('is made with the authority of the server', async () => {
    const connection = await connectNats(access(await start(tls('localhost')), { ca: path('localhost.pem') }));
    await connection.flush();
    await connection.close();
  });

  it('is refused with another authority, or without one', async () => {
    const server = await start(tls('localhost'));
    for (const files of [{ ca: path('other.example.pem') }, {}])
      expect(await refusalOf(access(server, files))).to.equal(refusal(server, notTrusted));
  });

  it('is refused with a certificate of another name', async () => {
    const server = await start(tls('other.example'));
    expect(await refusalOf(access(server, { ca: path('other.example.pem') }))).to.equal(
      refusal(server, 'its certificate is of another name'),
    );
  });

  it('is refused by a server without TLS', async () => {
    const server = await start('');
    expect(await refusalOf(access(server))).to.equal(refusal(server, 'it offers no TLS, which the URL requires'));
  });

  it('is refused for an address, which a certificate of localhost would do for', async () => {
    const server = (await start(tls('localhost'))).replace('localhost', '127.0.0.1');
    expect(await refusalOf(access(server, { ca: path('localhost.pem') }))).to.equal(
      `${server} must have the name that the certificate of the server has, not an address.`,
    );
  });

  it('is made with the certificate that a server asks clients for, and refused without it', async () => {
    const verifying = `, ca_file: "${path('localhost.pem')}", verify: true`;
    const server = await start(tls('localhost', verifying));
    const ca = path('localhost.pem');
    const connection = await connectNats(access(server, { ca, certificate: ca, key: path('localhost.key') }));
    await connection.close();
    expect(await refusalOf(access(server, { ca }))).to.include(
      'as a server does that asks clients for a certificate and gets none',
    );
  });
});
