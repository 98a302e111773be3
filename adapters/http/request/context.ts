import {
  type Actor,
  type AnyResource,
  type Core,
  type Format,
  type HttpRequest,
  type IdempotentRequest,
  type OpenApiDocument,
  parseId,
  type QueryParameters,
  type Reply,
  type Route,
  type RouteContext,
  type SignedIn,
  type Tables,
  type UncheckedInput,
} from '@horarium/core';
import type { Formats } from '../reply/formats.ts';
import { Links, type Site } from '../reply/links.ts';
import type { HttpResponse } from '../reply/response.ts';
import { writeReply } from '../reply/write-reply.ts';
import { parameterOf } from '../route-paths.ts';
import type { Authenticator } from '../security/authenticate.ts';
import type { ServiceUrls } from '../service-urls.ts';
import { storedResponse } from './idempotency.ts';
import type { HttpOrigin } from './origin.ts';

/** The services that the contexts of all requests share. */
export interface ApiServices {
  readonly core: Core;
  readonly routes: readonly Route[];
  readonly resources: readonly AnyResource[];
  readonly formats: Formats;
  readonly authenticator: Authenticator;
  readonly urls: ServiceUrls;
  readonly site: Site;
  openApi(): OpenApiDocument;
  logFailure(error: unknown, origin: HttpOrigin): void;
}

/** A request that is ready for the handler of its route: authenticated, checked and parsed. */
export interface AdmittedRequest {
  readonly route: Route;
  readonly request: HttpRequest;
  readonly origin: HttpOrigin;
  readonly query: QueryParameters;
  /** Null on routes without authentication. */
  readonly signedIn: SignedIn | null;
  readonly actor: Actor;
  /** Null where the path has none. */
  readonly suffix: string | null;
  readonly format: Format;
  /** The body as it was sent; null for methods other than POST. */
  readonly text: string | null;
  readonly body: UncheckedInput;
  /** Null where the request carries no idempotency key. */
  readonly idempotentRequest: IdempotentRequest | null;
}

/** The context of one request. A class and not an object of closures, which every request would create again. */
export class RequestContext implements RouteContext {
  readonly #services: ApiServices;
  readonly #admitted: AdmittedRequest;
  /** The response that was stored under the idempotency key, and the reply that it was written from. */
  #stored: { readonly reply: Reply; readonly response: HttpResponse } | undefined;

  constructor(services: ApiServices, admitted: AdmittedRequest) {
    this.#services = services;
    this.#admitted = admitted;
  }

  get core(): Core {
    return this.#services.core;
  }

  get request(): HttpRequest {
    return this.#admitted.request;
  }

  get query(): QueryParameters {
    return this.#admitted.query;
  }

  get actor(): Actor {
    return this.#admitted.actor;
  }

  get signedIn(): SignedIn | null {
    return this.#admitted.signedIn;
  }

  get text(): string | null {
    return this.#admitted.text;
  }

  get body(): UncheckedInput {
    return this.#admitted.body;
  }

  get suffix(): string | null {
    return this.#admitted.suffix;
  }

  get routes(): readonly Route[] {
    return this.#services.routes;
  }

  get resources(): readonly AnyResource[] {
    return this.#services.resources;
  }

  get formats(): readonly Format[] {
    return this.#services.formats.all;
  }

  get openApi(): OpenApiDocument {
    return this.#services.openApi();
  }

  get serviceUrl(): string {
    return this.#services.urls.serviceUrl;
  }

  id(name: string): number {
    const { route, request } = this.#admitted;
    return parseId(name, parameterOf(route, request.params, name));
  }

  urlOf(path: string): string {
    return this.#services.urls.of(path);
  }

  inTransaction(work: (tables: Tables) => Promise<Reply>): Promise<Reply> {
    const { core, actor } = this;
    const { idempotentRequest } = this.#admitted;
    if (!idempotentRequest) return core.store.transaction(actor, work);
    return core.store.transaction(actor, async (tables) => {
      await core.idempotencyKeys.claim(tables, actor, idempotentRequest);
      const reply = await work(tables);
      const response = await this.write(reply);
      const subject = reply.subject ?? null;
      await core.idempotencyKeys.store(tables, actor, idempotentRequest, storedResponse(response), subject);
      this.#stored = { reply, response };
      return reply;
    });
  }

  async currentActor(): Promise<Actor> {
    const { request, origin } = this.#admitted;
    return (await this.#services.authenticator.authenticate(request, origin)).actor;
  }

  signIn(login: string, password: string): Promise<SignedIn> {
    const { authenticator } = this.#services;
    return authenticator.signIn({ kind: 'basic', login, password }, this.#admitted.origin, { isLogin: true });
  }

  /** Writes the reply of the handler as a response, in the format of the suffix; one that was stored is written already. */
  async write(reply: Reply): Promise<HttpResponse> {
    if (this.#stored?.reply === reply) return this.#stored.response;
    const { route, request, query, suffix, format, origin } = this.#admitted;
    const links = new Links(this.#services.site, format.suffix, { route, path: request.path, query, suffix, reply });
    return writeReply(reply, format, links, (error) => this.#services.logFailure(error, origin));
  }
}
