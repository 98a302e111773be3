import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { HttpService } from '../../support/http/http-service.ts';
import { hasOpenssl, selfSignedCertificate } from '../../support/secrets/certificate.ts';

describe('TLS', () => {
  let service: HttpService;

  before(async function () {
    if (!hasOpenssl()) this.skip();
    const limits = { handshakeTimeout: 1000, headersTimeout: 5000 };
    service = await new HttpService({ tls: selfSignedCertificate('example.com'), limits }).start();
  });
  after(() => service?.stop());

  const get = async (path: string, host: string) => {
    const headers = { host, authorization: service.admin };
    const outgoing = request(`${service.url}${path}`, { headers, rejectUnauthorized: false, agent: false });
    outgoing.end();
    const [response] = await once(outgoing, 'response');
    const pieces: Buffer[] = await response.toArray();
    const text = Buffer.concat(pieces).toString();
    service.openApiCheck.check(
      { method: 'GET', path },
      { status: response.statusCode, headers: response.headers, text },
    );
    return response;
  };
  /** The name in the certificate that the server presents. */
  const presented = async () => {
    const port = Number(new URL(service.url).port);
    const socket: TLSSocket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return subject.CN;
  };

  it('accepts credentials at every host name', async () => {
    expect(service.url).to.match(/^https:/);
    const response = await get('/api/v1/apps.json', 'example.com');
    expect(response.statusCode).to.equal(200);
    expect(response.headers['strict-transport-security']).to.equal('max-age=31536000');
  });

  it('keeps the connection of a caller who was authenticated, while idle ones without are closed', async () => {
    const tls = selfSignedCertificate('example.com');
    const small = await new HttpService({ tls, limits: { maxConnections: 3 } }).start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const usedSocket = async () => {
      const outgoing = request(`${small.url}/api/v1/index.json`, { headers: { authorization: small.admin }, agent });
      outgoing.end();
      const [response] = await once(outgoing, 'response');
      const { socket } = response;
      await response.toArray();
      return socket;
    };
    const socket = await usedSocket();
    for (let n = 0; n < 6; n++) {
      const idle = connectPlain(Number(new URL(small.url).port), '127.0.0.1');
      idle.on('error', () => undefined);
      await once(idle, 'connect');
    }
    expect(await usedSocket()).to.equal(socket);
    agent.destroy();
    await small.stop();
  });

  it('presents a reloaded certificate, and keeps the old one when the new one is invalid', async () => {
    expect(await presented()).to.equal('example.com');
    service.server.reloadTls(selfSignedCertificate('renewed.example.com'));
    expect(await presented()).to.equal('renewed.example.com');
    const { key } = selfSignedCertificate('other.example.com');
    expect(() => service.server.reloadTls({ certificate: 'rubbish', key })).to.throw();
    expect(() => service.server.reloadTls({ ...selfSignedCertificate('third.example.com'), key })).to.throw();
    expect(await presented()).to.equal('renewed.example.com');
  });

  it('offers ciphers with forward secrecy and authenticated encryption only', async () => {
    const { port } = new URL(service.url);
    const handshake = (options: object) =>
      new Promise<string>((resolve) => {
        const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false, ...options }, () => {
          resolve(socket.getCipher().name);
          socket.destroy();
        });
        socket.on('error', ({ message }) => resolve(message));
      });
    const old = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384:AES128-SHA' };
    expect(await handshake(old)).to.match(/handshake failure/);
    expect(await handshake({ maxVersion: 'TLSv1.2' })).to.match(/^ECDHE-ECDSA-(AES\d+-GCM-SHA\d+|CHACHA20-POLY1305)$/);
    expect(await handshake({})).to.match(/^TLS_/);
  });

  it('disconnects a client that does not finish the handshake', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connectPlain(Number(port), hostname);
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    expect((await get('/api/v1/ping', 'example.com')).statusCode).to.equal(200);
  });
});
