import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { tenantResolver } from '../../../plugins/outbound-http/resolve.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

/** Answers queries for known.example with its address, for missing.example with none, and no others. */
async function nameServer(): Promise<Socket & { readonly queries: string[] }> {
  const queries: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, end, type } = questionOf(query);
    queries.push(name);
    const isKnown = name === 'known.example';
    if (!isKnown && name !== 'missing.example') return;
    const hasAddress = isKnown && type === 1;
    const header = Buffer.from(query.subarray(0, 12));
    // A response, recursion available, and NXDOMAIN where there is no such name.
    header.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(hasAddress ? 1 : 0, 6);
    header.fill(0, 8);
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 93, 184, 216, 34]);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...(hasAddress ? [answer] : [])]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return Object.assign(socket, { queries });
}

/** Reads the question of a query: its name, its type, and where it ends. */
function questionOf(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

describe('The resolver of names that tenants write', () => {
  let server: Awaited<ReturnType<typeof nameServer>>;
  before(async () => {
    server = await nameServer();
  });
  after(() => server.close());
  const servers = () => [`127.0.0.1:${server.address().port}`];

  it('resolves a name by the name servers, and tells of one that does not exist', async () => {
    const resolve = tenantResolver({ servers: servers() });
    expect(await resolve('known.example')).to.deep.equal([{ address: '93.184.216.34', family: 4 }]);
    expect(await rejectionOf(resolve('missing.example'))).to.include({ code: 'ENOTFOUND' });
  });

  it('resolves a name while sixty wait for a name server that hangs', async () => {
    const resolve = tenantResolver({ servers: servers() });
    let hasEnded = false;
    const hanging = Array.from({ length: 60 }, (_, index) =>
      rejectionOf(resolve(`hangs${index}.example`)).finally(() => {
        hasEnded = true;
      }),
    );
    expect(await resolve('known.example')).to.have.length(1);
    expect(hasEnded).to.equal(false);
    for (const error of await Promise.all(hanging)) expect(error).to.include({ code: 'ETIMEOUT' });
  });

  it('asks no name server for short names and those that this machine lists', async () => {
    const hostsFile = join(temporaryFolder('hosts'), 'hosts');
    writeFileSync(hostsFile, '# 10.0.0.1 commented.example\n10.0.0.2\tListed.example alias\n');
    const lookup = async (hostname: string) => [{ address: hostname, family: 4 }];
    const resolve = tenantResolver({ servers: servers(), hostsFile, lookup });
    const before = server.queries.length;
    for (const name of ['localhost', 'listed.example', 'alias'])
      expect(await resolve(name)).to.deep.equal([{ address: name, family: 4 }]);
    expect(server.queries.length).to.equal(before);
    expect((await resolve('known.example'))[0]?.address).to.equal('93.184.216.34');
  });
});
