/** The HTTP API of an embedded core, for a server of the embedding program: `horarium/http`. */
export type { HttpHandler } from '../../adapters/node-http/node-handler.ts';
export { type HttpHandlerLog, type HttpHandlerOptions, httpHandler } from './http-handler.ts';
