import {
  type ApiDescription,
  type Core,
  carryHolders,
  type HorariumError,
  type HttpRequest,
  type OpenApiDocument,
  type Route,
  resumeThread,
  Semaphore,
  type SignedIn,
  StoreUnavailable,
  yieldToEventLoop,
} from '@horarium/core';
import { Assets, assetMethods, isReading, type PluginAssets } from './assets/assets.ts';
import { basePath, isUnderBasePath, sessionBasePath } from './base-path.ts';
import type { Metrics } from './metrics.ts';
import { describeApi } from './openapi/document.ts';
import type { Formats } from './reply/formats.ts';
import { Links, siteOf } from './reply/links.ts';
import { HttpProblem, isExpected, problemOf } from './reply/problems.ts';
import { checkSendable, type HttpResponse, isStream, type ResponseHeaders } from './reply/response.ts';
import { writeProblem } from './reply/write-reply.ts';
import { anonymousBodyLimit, parseBody, readText, requireJson } from './request/body.ts';
import { type ApiServices, RequestContext } from './request/context.ts';
import { idempotentRequestOf, RequestsInFlight, replayed } from './request/idempotency.ts';
import { anonymousActor, HttpOrigin } from './request/origin.ts';
import { readFlag, readQuery, rejectUnknownParameters } from './request/query.ts';
import {
  acceptsSuffix,
  isExempt,
  isOfSessions,
  parameterNames,
  pathSuffix,
  requestSuffix,
  shownPath,
} from './route-paths.ts';
import { Admission } from './security/admission.ts';
import { Authenticator } from './security/authenticate.ts';
import { Cors } from './security/cors.ts';
import type { TrustedProxies } from './security/networks.ts';
import { holders, RequestCost } from './security/request-cost.ts';
import { securityHeaders, transportHeaders } from './security/security-headers.ts';
import { isSecure, requireHttps } from './security/transport.ts';
import { ServiceUrls } from './service-urls.ts';
import { SessionCookie } from './session/session-cookie.ts';
import { sessionRoutes } from './session/session-routes.ts';

/** How many bodies without authentication, such as of webhooks, may be larger than a login at once. */
const maxLargeBodies = 16;

/** The log of the HTTP channel; a pino logger fits. */
export interface ApiLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface ApiOptions {
  readonly core: Core;
  readonly routes: readonly Route[];
  readonly formats: Formats;
  /** @default none */
  readonly assets?: PluginAssets;
  /** The URL that others reach the service by, without the base path; null = URLs are given out without a host. */
  readonly publicUrl: string | null;
  /** The path that the API is mounted under in another server, without the base path. @default none */
  readonly mountPath?: string;
  readonly proxies: TrustedProxies;
  /** In bytes. */
  readonly bodyLimit: number;
  /** How many requests one user may send in a second. @default no limit */
  readonly maxRequestsPerSecond?: number;
  readonly log: ApiLog;
  /** Origins whose pages may call the API from a browser. */
  readonly corsOrigins: readonly string[];
  /** Whether pages of the service may reach the API by sessions. @default false */
  readonly sessions?: boolean;
  readonly metrics: Metrics;
}

/**
 * Turns requests into responses: origin, HTTPS and cross-site checks, authentication, route, body, handler, reply. It
 * depends on no web framework; what listens, routes and writes bytes calls it.
 */
export class Api {
  readonly routes: readonly Route[];
  /** Whether the routes are mounted for sessions, too. */
  readonly sessions: boolean;
  readonly #options: ApiOptions;
  readonly #services: ApiServices;
  readonly #admission: Admission;
  readonly #inFlight = new RequestsInFlight();
  readonly #cors: Cors;
  readonly #urls: ServiceUrls;
  readonly #assets: Assets | null;

  /** @throws HorariumError `invalid` naming the plugin whose assets cannot be served. */
  constructor(options: ApiOptions) {
    const { core, formats, assets, publicUrl, mountPath, sessions = false } = options;
    carryHolders(holders);
    this.#options = options;
    this.#urls = new ServiceUrls(publicUrl, mountPath);
    this.#assets = assets ? new Assets(assets, this.#urls.rootPath) : null;
    this.#cors = new Cors(options.corsOrigins);
    const cookie = new SessionCookie(this.#urls.rootPath, options.proxies);
    const routes = sessions ? [...options.routes, ...sessionRoutes(cookie)] : options.routes;
    this.routes = routes;
    this.sessions = sessions;
    const authenticator = new Authenticator(core.signIn, cookie);
    const siteUnder = (base: string) => siteOf(routes, core.resources, formats, this.#urls.under(base));
    const [cors, urls, maxRequestsPerSecond] = [this.#cors, this.#urls, options.maxRequestsPerSecond ?? Infinity];
    this.#admission = new Admission({ ...options, authenticator, cors, urls, maxRequestsPerSecond });
    core.forChannels.eventLoop.onBlocked((block) => options.metrics.blocked(block));
    this.#services = {
      core,
      api: describedApi(options, this.#urls),
      authenticator,
      sites: { http: siteUnder(basePath), ui: siteUnder(sessionBasePath) },
      largeBodies: new Semaphore(maxLargeBodies),
      logFailure: (error, origin) => this.#logFailure(error, origin),
    };
  }

  /** Records the URL that the server listens on. */
  listensOn(url: string): void {
    this.#urls.listensOn(url);
  }

  /** Answers a request to a route. Never rejects: every error becomes a response. */
  handle(route: Route, request: HttpRequest): Promise<HttpResponse> {
    const cost = new RequestCost();
    return this.#options.core.forChannels.eventLoop.run(
      workName(route),
      () => this.#respond(request, route.path, (origin) => this.#handleRoute(route, request, origin, cost)),
      cost.add,
    );
  }

  /**
   * Answers a request that no route answers: with a file of a plugin, or a problem. Never rejects.
   * @param allow the methods that the path supports; null for a path of no route.
   */
  handleUnrouted(request: HttpRequest, allow: string | null): Promise<HttpResponse> {
    const cost = new RequestCost();
    const asset = allow === null ? this.#assets?.find(request) : null;
    return this.#options.core.forChannels.eventLoop.run(
      asset ? 'assets' : 'no route',
      () =>
        this.#respond(request, asset ? 'assets' : 'none', async (origin) =>
          asset && isReading(request)
            ? asset.respond(request)
            : this.#handleUnrouted(request, asset ? assetMethods : allow, origin, cost),
        ),
      cost.add,
    );
  }

  async #handleRoute(route: Route, request: HttpRequest, origin: HttpOrigin, cost: RequestCost): Promise<HttpResponse> {
    const query = readQuery(request.search);
    const signedIn = await this.#admission.admit(route, request, query, origin, cost);
    const suffix = requestSuffix(route, request.params);
    const format = this.#options.formats.of(acceptsSuffix(route) ? suffix : null);
    rejectUnknownParameters(query, parameterNames(route));
    const actor = signedIn?.actor ?? anonymousActor(origin);
    if (route.method === 'POST') await this.#admission.refuseWriting(route, request, actor);
    if (route.readsBody === 'json') requireJson(request);
    const text =
      route.method === 'POST' && !route.readsBody ? await readText(request, this.#bodyLimit(signedIn)) : null;
    resumeThread();
    const dryRun = route.shape.dryRun === true && readFlag(query, 'dry_run', false);
    const isRepeatable = text !== null && signedIn !== null && !dryRun;
    const idempotentRequest = isRepeatable ? idempotentRequestOf(request, actor, text) : null;
    // If the thread has been busy for long, each request is parsed and carried out in an event-loop turn of its own.
    await yieldToEventLoop();
    const body = text === null ? ({ kind: 'none' } as const) : parseBody(request, text);
    const admitted = { route, request, origin, query, signedIn, actor, suffix, format, text, body };
    const context = new RequestContext(this.#services, { ...admitted, idempotentRequest, dryRun });
    const { store, forChannels } = this.#options.core;
    const { eventLoop, idempotencyKeys } = forChannels;
    const carryOut = async () => {
      const reply = await route.handle(context);
      const response = await context.write(reply);
      const { body } = response;
      // A list is written while it is sent; other streams wait for what happens.
      if (!reply.pages || !isStream(body)) return response;
      return { ...response, body: eventLoop.each(workName(route), body, cost.add) };
    };
    if (!idempotentRequest) return carryOut();
    return this.#inFlight.run(idempotentRequest, async () => {
      const stored = await store.read((tables) => idempotencyKeys.replay(tables, actor, idempotentRequest));
      return stored ? replayed(stored) : carryOut();
    });
  }

  #bodyLimit(signedIn: SignedIn | null): number {
    const { bodyLimit } = this.#options;
    return signedIn ? bodyLimit : Math.min(bodyLimit, anonymousBodyLimit);
  }

  async #handleUnrouted(
    request: HttpRequest,
    allow: string | null,
    origin: HttpOrigin,
    cost: RequestCost,
  ): Promise<HttpResponse> {
    const { method, path } = request;
    const isOfPage = origin.channel === 'ui';
    if (allow !== null && !isOfPage && this.#cors.isPreflight(request)) return this.#cors.preflightResponse(allow);
    if (isOfPage || this.#needsSignIn(path)) {
      requireHttps(request, this.#options.proxies);
      await this.#admission.signIn(request, origin, cost);
    }
    if (rootPaths.has(path) && isReading(request)) return this.#redirectToIndex(request);
    if (allow === null) throw new HttpProblem('not_found', this.#notFoundMessage(path));
    if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow }, body: null };
    throw new HttpProblem('method_not_allowed', `${method} is not possible at ${path}, only ${allow}.`, {
      Allow: allow,
    });
  }

  #needsSignIn(path: string): boolean {
    return isUnderBasePath(path) && !isExempt(this.routes, path.slice(basePath.length));
  }

  /** Redirects the root of the service to the list of all endpoints, in the format that the client likes best. */
  #redirectToIndex(request: HttpRequest): HttpResponse {
    const { suffix } = this.#options.formats.preferred(request);
    return { status: 302, headers: { Location: this.#services.sites.http.urls.of(`/index.${suffix}`) }, body: null };
  }

  #notFoundMessage(path: string): string {
    const { documentation } = this.#services.sites.http;
    const described = documentation === null ? '' : `, and described at ${documentation}`;
    const hint = path.startsWith(`${basePath}/`) ? '' : `; the API is under ${basePath}${described}`;
    return `There is nothing at ${path}${hint}.`;
  }

  /** Runs the work of every request: turns errors into responses, and counts, times and logs the request. */
  async #respond(
    request: HttpRequest,
    route: string,
    work: (origin: HttpOrigin) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const { core, proxies, log, metrics } = this.#options;
    const startTime = core.clock.elapsed();
    metrics.begin();
    const origin = new HttpOrigin(request, proxies, this.sessions && isOfSessions(request.path) ? 'ui' : 'http');
    let response: HttpResponse;
    try {
      response = checkSendable(await work(origin));
    } catch (error) {
      response = this.#problem(error, request, origin);
      if (!isExpected(error)) this.#logFailure(error, origin);
      else if (error instanceof StoreUnavailable) this.#logUnavailable(error, origin);
      else if (response.status === 403) this.#logRefusal(error, origin);
    }
    const { method } = request;
    const path = shownPath(this.routes, request.path);
    const { status, body } = response;
    const ms = core.clock.elapsed() - startTime;
    metrics.end(method, route, status, ms / 1000);
    const { ip, requestId: request_id } = origin;
    log.info({ method, path, status, ms: Math.round(ms), ip, request_id }, `${method} ${path} ${status}`);
    return { status, headers: this.#headersOf(response, request, origin), body };
  }

  /** Writes an error as a response, in the format of the suffix, or in JSON where that format fails. */
  #problem(error: unknown, request: HttpRequest, origin: HttpOrigin): HttpResponse {
    const { formats } = this.#options;
    const { problem, headers } = problemOf(error, origin.requestId);
    const format = formats.find(pathSuffix(request.path)) ?? formats.default;
    try {
      const links = new Links(this.#services.sites[origin.channel], format.suffix, null);
      return checkSendable(writeProblem(problem, headers, format, links));
    } catch (failure) {
      this.#logFailure(failure, origin);
      return writeProblem(problem, headers, formats.default, null);
    }
  }

  #headersOf(response: HttpResponse, request: HttpRequest, { channel, requestId }: HttpOrigin): ResponseHeaders {
    const cors = channel === 'http' ? this.#cors.headers(request) : {};
    const vary = [cors['Vary'], response.headers['Vary']].filter((names) => names !== undefined).join(', ');
    return {
      ...(isSecure(request, this.#options.proxies) ? transportHeaders : securityHeaders),
      ...cors,
      'X-Request-Id': requestId,
      ...response.headers,
      ...(vary !== '' && { Vary: vary }),
    };
  }

  #logFailure(error: unknown, { requestId }: HttpOrigin): void {
    this.#options.log.error({ err: error, request_id: requestId }, 'a request failed');
  }

  /** Logs what callers are not told: which database it is, and why it cannot be used. */
  #logUnavailable({ message }: StoreUnavailable, { requestId }: HttpOrigin): void {
    this.#options.log.warn({ reason: message, request_id: requestId }, 'the database cannot be used');
  }

  #logRefusal({ code, message }: HorariumError | HttpProblem, { ip, requestId }: HttpOrigin): void {
    const refusal = { security: 'refused', code, reason: message, ip, request_id: requestId };
    this.#options.log.warn(refusal, 'a request was refused');
  }
}

function describedApi({ core, routes, formats }: ApiOptions, urls: ServiceUrls): ApiDescription {
  const { version, resources } = core;
  let document: OpenApiDocument | undefined;
  return {
    routes,
    resources,
    formats: formats.all,
    // Built once, at the first request for it, because describing the API takes a tenth of a second.
    get openApi() {
      document ??= describeApi({ version, routes, resources, formats: formats.all, publicUrl: urls.root });
      return document;
    },
    // The address that the server listens on is known only once it does.
    get serviceUrl() {
      return urls.serviceUrl;
    },
  };
}

/** The paths that are redirected, for people who know only the address of the service. */
const rootPaths: ReadonlySet<string> = new Set(['/', basePath, `${basePath}/`]);

/** The name under which the work of a route is timed: there are as many as routes. */
function workName({ method, path }: Route): string {
  return `${method} ${path}`;
}
