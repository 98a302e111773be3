/**
 * HTTP requests to addresses that tenants write, for actions, executors and kinds of event sources. `fetch` of Node reaches
 * the private network of the service; these reach public addresses, and those that the operator allows.
 */
export { OutboundError } from './outbound-error.ts';
export {
  type BoundedResponse,
  OutboundHttp,
  type OutboundHttpOptions,
  type OutboundRequest,
  type OutboundResponse,
} from './outbound-http.ts';
export { outboundOptions } from './outbound-options.ts';
export type { Resolve } from './resolve.ts';
export { originOf, urlOption } from './url-option.ts';
