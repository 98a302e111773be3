import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { eventually } from '../../support/mocha/eventually.ts';
import { SpawnedProgram } from '../../support/program/spawned-program.ts';
import { TestCli } from '../../support/program/test-cli.ts';

/** Receives one message at a datagram socket, as systemd does, and prints it. */
const receiver = `
  use IO::Socket::UNIX;
  my $socket = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die;
  $socket->recv(my $message, 4096);
  print $message;
`;

const missing = [
  ['perl', '-MIO::Socket::UNIX', '-e1'],
  ['systemd-notify', '--version'],
].find(([file = '', ...line]) => spawnSync(file, line).status !== 0);

describe('A service that systemd has started', () => {
  before(function () {
    if (missing) this.skip();
  });

  it('notifies systemd once it listens, and asks it to believe no further message', async () => {
    using cli = new TestCli();
    const socket = join(cli.folder, 'notify');
    const listener = spawn('perl', ['-e', receiver, socket]);
    await eventually('the socket is there', () => existsSync(socket));
    const message = text(listener.stdout);
    const environment = { ...cli.environment, NOTIFY_SOCKET: socket };
    const service = new SpawnedProgram(['serve', '--port', '0'], { folder: cli.folder, environment });
    expect((await message).split('\n')).to.include.members(['READY=1', 'NOTIFYACCESS=none']);
    expect(service.out).to.match(/^listening on /m);
    service.process.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
    if (listener.exitCode === null) await once(listener, 'exit');
  });

  it('goes on where systemd cannot be notified, and logs why', async () => {
    using cli = new TestCli();
    const environment = { ...cli.environment, NOTIFY_SOCKET: join(cli.folder, 'missing') };
    const service = new SpawnedProgram(['serve', '--port', '0'], { folder: cli.folder, environment });
    await service.waitForError(/systemd cannot be notified that the service is ready/);
    service.process.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
  });
});
