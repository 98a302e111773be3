import { execFileSync } from 'node:child_process';
import { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { expect } from 'chai';
import { createRestifyServer } from '../../../adapters/restify/restify-server.ts';

const require = createRequire(import.meta.url);
const log = { level: 'silent', child: () => log, trace: () => undefined };

describe('The restify server', () => {
  it('has the same prototype as a server that the index of restify creates', () => {
    const { createServer } = require('restify') as { createServer(options: object): object };
    const server = createRestifyServer({ name: '', log });
    expect(Object.getPrototypeOf(server)).to.equal(Object.getPrototypeOf(createServer({ name: '', log })));
  });

  it('has other servers of the process chain calls to the response, as Node documents it', () => {
    createRestifyServer({ name: '', log });
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    expect(response.writeHead(418, { 'x-tea': 'pot' })).to.equal(response);
    expect([response.statusCode, response.headersSent]).to.deep.equal([418, true]);
  });

  it('loads neither the index nor the plugins of restify, which would cost three times the modules and 8 MB of memory', () => {
    const module = new URL('../../../adapters/restify/restify-server.js', import.meta.url);
    const script = `
      import { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
      const { createRestifyServer } = await import(${JSON.stringify(String(module))});
      const log = { level: 'silent', child: () => log, trace: () => undefined };
      createRestifyServer({ name: '', log });
      console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    const loaded = JSON.parse(output) as string[];
    expect(loaded.some((path) => path.includes('/restify/lib/server.js'))).to.equal(true);
    expect(loaded.filter((path) => /\/restify\/lib\/(?:plugins|index\.js)/.test(path))).to.deep.equal([]);
    // With its index, restify loads more than 300 modules.
    expect(loaded.length).to.be.below(150);
  });
});
