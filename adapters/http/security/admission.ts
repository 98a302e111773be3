import {
  type Actor,
  type Core,
  denied,
  type HttpRequest,
  isAdmin,
  parseId,
  type QueryParameters,
  type Route,
  type SignedIn,
  writeRefusalOf,
} from '@horarium/core';
import type { Metrics } from '../metrics.ts';
import type { HttpOrigin } from '../request/origin.ts';
import { parameterNames, parameterOf } from '../route-paths.ts';
import type { ServiceUrls } from '../service-urls.ts';
import type { Authenticator } from './authenticate.ts';
import { type Cors, refuseCrossSite, requireSameOrigin } from './cors.ts';
import type { TrustedProxies } from './networks.ts';
import type { RequestCost } from './request-cost.ts';
import { RequestLimit } from './request-limit.ts';
import { isSecure, requireHttps } from './transport.ts';

interface AdmissionOptions {
  readonly core: Core;
  readonly authenticator: Authenticator;
  readonly proxies: TrustedProxies;
  readonly urls: ServiceUrls;
  readonly cors: Cors;
  readonly metrics: Metrics;
  readonly maxRequestsPerSecond: number;
}

/** Decides who may send a request at all, before anything is done for it or its body is read. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #limit: RequestLimit;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#limit = new RequestLimit(options.maxRequestsPerSecond, options.core.clock);
  }

  /**
   * Requires HTTPS for secrets and credentials, refuses requests of other sites, then authenticates. The order matters.
   * @returns who sends it; null on a route without authentication.
   */
  async admit(
    route: Route,
    request: HttpRequest,
    query: QueryParameters,
    origin: HttpOrigin,
    cost: RequestCost,
  ): Promise<SignedIn | null> {
    const { proxies, urls, cors } = this.#options;
    const isAnonymous = route.authentication === 'none';
    const changes = route.method !== 'GET' || route.changes === true;
    if (!isAnonymous || route.confidential?.(query) || request.headers['authorization']) requireHttps(request, proxies);
    const secure = isSecure(request, proxies);
    if (origin.channel === 'ui') requireSameOrigin(request, { ownOrigin: urls.publicOrigin, secure, changes });
    else if (changes) refuseCrossSite(request, urls.publicOrigin, secure, cors);
    if (isAnonymous) return null;
    const signedIn = await this.signIn(request, origin, cost);
    request.onAuthenticated?.();
    const { actor, user } = signedIn;
    const isWholeList = query.get('limit') === 'all' && parameterNames(route).includes('limit');
    if (isWholeList && !isAdmin(actor)) this.#limited(() => request.whenClosed?.(this.#limit.holdList(user.id)));
    return signedIn;
  }

  /**
   * Authenticates, and counts the request of that user, which is under way until its response is closed. Requests of admins
   * are not limited: they are trusted with the whole service.
   */
  async signIn(request: HttpRequest, origin: HttpOrigin, cost: RequestCost): Promise<SignedIn> {
    const signedIn = await this.#options.authenticator.authenticate(request, origin);
    const { actor, user } = signedIn;
    if (isAdmin(actor)) return signedIn;
    this.#limited(() => {
      this.#limit.take(user.id);
      request.whenClosed?.(this.#limit.hold(user.id));
    });
    cost.chargeBy((before, used) => this.#limit.charge(user.id, before, used));
    return signedIn;
  }

  #limited(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.metrics.limited();
      throw error;
    }
  }

  /**
   * Refuses a change by an actor who may write no record of its kind, of any company.
   * @throws HorariumError `not_found` where the path names a record that the actor may not see, else `denied`.
   */
  async refuseWriting(route: Route, request: HttpRequest, actor: Actor): Promise<void> {
    const { core } = this.#options;
    const { right } = route.shape;
    if (!right || right === 'admin' || right.orOwn) return;
    const resource = core.resources.find(({ name }) => name === right.resource);
    const refusal = resource && writeRefusalOf(actor, resource, right.verbs);
    if (refusal === undefined) return;
    const named = core.resources.find(({ names }) => route.path.includes(`{${names.id}}`));
    if (named) {
      const id = parseId(named.names.id, parameterOf(route, request.params, named.names.id));
      await core.records(named.name).get(actor, id);
    }
    throw denied(refusal);
  }
}
