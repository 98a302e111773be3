import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { Server, ServerOptions } from 'restify';

/** The types are of an older restify. */
interface FullOptions extends Omit<ServerOptions, 'log'> {
  readonly log: object;
  readonly ignoreTrailingSlash?: boolean;
}
export interface RestifyServer extends Server {
  first(handler: (request: IncomingMessage, response: ServerResponse) => boolean): this;
}

/**
 * Creates a restify server from two modules of the package, past its index. The index also loads restify's plugins,
 * none of which is used: three times the modules, 8 MB more memory and 60 ms more at every start.
 */
export function createRestifyServer(options: FullOptions): RestifyServer {
  const load = createRequire(import.meta.url);
  const RestifyServer = load('restify/lib/server') as new (options: object) => RestifyServer;
  const Router = load('restify/lib/router') as new (options: object) => object;
  returnResponses();
  const server = new RestifyServer({ ...options, router: new Router(options) });
  // With restify's listener Node would hand over the connection of a request for another protocol, and nobody would
  // answer it; without one it is answered as any other.
  server.server.removeAllListeners('upgrade');
  return server;
}

/**
 * Has `writeHead` return the response, as Node's does: restify's returns nothing, and replaces that of every server in this
 * process, such as one of a plugin.
 */
function returnResponses(): void {
  // Not imported, as in checkSendable: an import would load fetch and WebSocket.
  const { ServerResponse } = process.getBuiltinModule('node:http');
  const { prototype } = ServerResponse as { readonly prototype: { writeHead(...given: unknown[]): unknown } };
  const { writeHead } = prototype;
  if (writeHead.name !== 'restifyWriteHead') return;
  prototype.writeHead = function (...given) {
    writeHead.apply(this, given);
    return this;
  };
}
