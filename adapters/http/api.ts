import {
  type AnyResource,
  type Core,
  type HorariumError,
  type HttpRequest,
  type OpenApiDocument,
  parseId,
  type QueryParameters,
  type Reply,
  type Route,
  type SignedIn,
} from '@horarium/core';
import type { Metrics } from './metrics.ts';
import { describeApi } from './openapi/document.ts';
import type { Formats } from './reply/formats.ts';
import { LinkBuilder } from './reply/links.ts';
import { HttpProblem, isExpected, problemOf } from './reply/problems.ts';
import { nothingAt, rootRedirect } from './reply/root-redirect.ts';
import { writeProblem, writeReply } from './reply/write-reply.ts';
import { parseBody, readText } from './request/body.ts';
import { IdempotentRequests, idempotentRequestOf } from './request/idempotency.ts';
import { inTransaction } from './request/in-transaction.ts';
import { nobody, originOf, type RequestOrigin } from './request/origin.ts';
import { readQuery, refuseUnknown } from './request/query.ts';
import type { HttpResponse, ResponseHeaders } from './request/request.ts';
import { isExempt, parameterIn, parametersOf, suffixIn, suffixOf, takesSuffix } from './routes/route.ts';
import { basePath } from './routes/system-routes.ts';
import { type Credentials, readCredentials, unauthenticated } from './security/authenticate.ts';
import { Cors } from './security/cors.ts';
import { refuseCrossSite } from './security/cross-site.ts';
import { securityHeaders, transportHeaders } from './security/security-headers.ts';
import { isSecure, requireHttps, type TrustedProxies } from './security/transport.ts';

/** Bytes of a body that are read, and held, of somebody who has not signed in: a login takes far less. */
const anonymousBodyLimit = 16 * 1024;

/** Where the channel writes what happened; pino fits. */
export interface ApiLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface ApiOptions {
  readonly core: Core;
  readonly routes: readonly Route[];
  readonly formats: Formats;
  /** The URL that others reach the service by, without the base path; null = addresses are given without a host. */
  readonly publicUrl: string | null;
  readonly proxies: TrustedProxies;
  /** In bytes. */
  readonly bodyLimit: number;
  readonly log: ApiLog;
  /** Origins whose pages may call from a browser. */
  readonly corsOrigins: readonly string[];
  readonly metrics: Metrics;
}

/** Turns requests into answers. It knows no web framework: what listens, routes and writes bytes calls it. */
export class Api {
  readonly routes: readonly Route[];
  readonly #options: ApiOptions;
  readonly #resources: readonly AnyResource[];
  readonly #signposts: LinkBuilder;
  readonly #onceOnly: IdempotentRequests;
  readonly #cors: Cors;
  readonly #publicUrl: string;
  readonly #ownOrigin: string | null;
  #document: OpenApiDocument | null = null;
  #listeningUrl = '';

  constructor(options: ApiOptions) {
    this.routes = options.routes;
    this.#options = options;
    this.#publicUrl = options.publicUrl?.replace(/\/+$/, '') ?? '';
    this.#ownOrigin = options.publicUrl === null ? null : new URL(options.publicUrl).origin;
    this.#cors = new Cors(options.corsOrigins);
    this.#onceOnly = new IdempotentRequests(options.core.repeats);
    const { routes, core, formats } = options;
    this.#resources = core.resources;
    this.#signposts = new LinkBuilder(routes, this.#resources, formats, (path) => this.#urlOf(path));
  }

  /** Never rejects: whatever goes wrong becomes an answer. */
  handle(route: Route, request: HttpRequest): Promise<HttpResponse> {
    return this.#guarded(request, route.path, (visit) => this.#routed(route, request, visit));
  }

  /** For paths that lead nowhere; `allow` lists the methods that the path does know. Never rejects. */
  handleUnrouted(request: HttpRequest, allow: string | null): Promise<HttpResponse> {
    return this.#guarded(request, 'none', async (visit) => {
      if (allow !== null && this.#cors.asks(request)) return this.#cors.answer(allow);
      if (this.#needsSignIn(request.path)) {
        requireHttps(request, this.#options.proxies);
        await this.#signInFor(request, visit);
      }
      const entrance = rootRedirect(request, this.#options.formats);
      if (entrance !== null) return { status: 302, headers: { Location: this.#urlOf(entrance) }, body: null };
      if (allow === null) throw new HttpProblem('not_found', nothingAt(request.path));
      if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: allow }, body: null };
      const words = `${request.method} is not possible at ${request.path}, only ${allow}.`;
      throw new HttpProblem('method_not_allowed', words, { Allow: allow });
    });
  }

  async #guarded(
    request: HttpRequest,
    route: string,
    work: (visit: RequestOrigin) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const { core, proxies, log, metrics } = this.#options;
    const started = core.clock.elapsed();
    metrics.begin();
    const visit = originOf(request, proxies);
    let answer: HttpResponse;
    try {
      answer = await work(visit);
    } catch (error) {
      answer = this.#problem(error, request, visit);
      if (!isExpected(error)) this.#logFailure(error, visit);
      else if (answer.status === 403) this.#logRefusal(error, visit);
    }
    const { method, path } = request;
    const ms = core.clock.elapsed() - started;
    metrics.end(method, route, answer.status, ms / 1000);
    const line = { method, path, status: answer.status, ms: Math.round(ms), ip: visit.ip, request_id: visit.requestId };
    log.info(line, `${method} ${path} ${answer.status}`);
    return { status: answer.status, headers: this.#headersOf(answer, request, visit), body: answer.body };
  }

  async #routed(route: Route, request: HttpRequest, visit: RequestOrigin): Promise<HttpResponse> {
    const { core, formats, bodyLimit } = this.#options;
    const query = readQuery(request.search);
    const signedIn = await this.#admit(route, request, query, visit);
    const suffix = suffixIn(route, request.params);
    const format = formats.of(takesSuffix(route) ? suffix : null);
    refuseUnknown(query, parametersOf(route));
    const actor = signedIn?.actor ?? nobody(visit);
    const text =
      route.method === 'POST'
        ? await readText(request, signedIn ? bodyLimit : Math.min(bodyLimit, anonymousBodyLimit))
        : null;
    const once = text !== null && signedIn ? idempotentRequestOf(request, actor, text) : null;
    const path = barePathOf(request.path, suffix);
    const write = (reply: Reply) => {
      const links = this.#signposts.of({ route, path, query, suffix: format.suffix, reply });
      return writeReply(reply, format, links, (error) => this.#logFailure(error, visit));
    };
    const work = async () => {
      const reply = await route.handle({
        core,
        request,
        query,
        signedIn,
        actor,
        text,
        body: text === null ? { kind: 'none' } : parseBody(request, text),
        suffix,
        routes: this.routes,
        resources: this.#resources,
        formats: formats.all,
        id: (name) => parseId(name, parameterIn(route, request.params, name)),
        urlOf: (path) => this.#urlOf(path),
        openApi: this.#openApi(),
        serviceUrl: this.#options.publicUrl ?? this.#listeningUrl,
        currentActor: async () => (await this.#signInFor(request, visit)).actor,
        inTransaction: (make, reply) => inTransaction(core, actor, once, write, make, reply),
        signIn: (login, password) => this.#signIn({ kind: 'basic', login, password }, visit, true),
      });
      return write(reply);
    };
    return once ? this.#onceOnly.answer(once, work, (error) => this.#problem(error, request, visit)) : work();
  }

  /** Takes the URL that the server listens on, for the examples of the docs page where no public URL is set. */
  listensOn(url: string): void {
    this.#listeningUrl = url;
  }

  /** Made once: neither the routes nor the public URL of a service ever change. */
  #openApi(): OpenApiDocument {
    const { core, formats, publicUrl } = this.#options;
    const { routes } = this;
    this.#document ??= describeApi({
      version: core.version,
      routes,
      resources: this.#resources,
      formats: formats.all,
      publicUrl,
    });
    return this.#document;
  }

  #urlOf(path: string): string {
    return `${this.#publicUrl}${basePath}${path}`;
  }

  #logFailure(error: unknown, visit: RequestOrigin): void {
    this.#options.log.error({ err: error, request_id: visit.requestId }, 'a request failed');
  }

  #logRefusal({ code, message }: HorariumError | HttpProblem, { ip, requestId }: RequestOrigin): void {
    const refusal = { security: 'refused', code, reason: message, ip, request_id: requestId };
    this.#options.log.warn(refusal, 'a request was refused');
  }

  /** In this order: nothing secret in the clear, nothing from other sites, then who it is. */
  async #admit(
    route: Route,
    request: HttpRequest,
    query: QueryParameters,
    visit: RequestOrigin,
  ): Promise<SignedIn | null> {
    const exempt = route.authentication === 'none';
    if (!exempt || route.confidential?.(query) || request.headers['authorization'])
      requireHttps(request, this.#options.proxies);
    if (route.method !== 'GET' || route.changes)
      refuseCrossSite(request, this.#ownOrigin, isSecure(request, this.#options.proxies), this.#cors);
    return exempt ? null : this.#signInFor(request, visit);
  }

  async #signInFor(request: HttpRequest, visit: RequestOrigin): Promise<SignedIn> {
    const credentials = readCredentials(request);
    if (!credentials) throw unauthenticated('none');
    return this.#signIn(credentials, visit);
  }

  async #signIn(credentials: Credentials, visit: RequestOrigin, asked = false): Promise<SignedIn> {
    const { signIn } = this.#options.core;
    try {
      if (credentials.kind === 'bearer') return await signIn.withToken(credentials.token, visit);
      return await signIn.withPassword(credentials.login, credentials.password, visit, asked);
    } catch (error) {
      throw isExpected(error) && error.code === 'unauthenticated' ? unauthenticated(credentials.kind) : error;
    }
  }

  #needsSignIn(path: string): boolean {
    const inside = path === basePath || path.startsWith(`${basePath}/`);
    return inside && !isExempt(this.routes, path.slice(basePath.length));
  }

  #problem(error: unknown, request: HttpRequest, visit: RequestOrigin): HttpResponse {
    const { formats } = this.#options;
    const { problem, headers } = problemOf(error, visit.requestId);
    const format = formats.known(suffixOf(request.path)) ?? formats.usual;
    try {
      return writeProblem(problem, headers, format, this.#signposts.ofProblem(format.suffix));
    } catch (failure) {
      this.#logFailure(failure, visit);
      return writeProblem(problem, headers, formats.usual, null);
    }
  }

  /** Its own, and those that every answer has. */
  #headersOf(answer: HttpResponse, request: HttpRequest, visit: RequestOrigin): ResponseHeaders {
    return {
      ...(isSecure(request, this.#options.proxies) ? transportHeaders : securityHeaders),
      ...this.#cors.headers(request),
      'X-Request-Id': visit.requestId,
      ...answer.headers,
    };
  }
}

/** A path under the base path without its suffix. */
function barePathOf(path: string, suffix: string | null): string {
  const trimmed = path.slice(basePath.length).replace(/\/$/, '');
  return suffix === null ? trimmed : trimmed.slice(0, -suffix.length - 1);
}
