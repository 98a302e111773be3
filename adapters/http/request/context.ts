import {
  type Actor,
  type ApiDescription,
  type ChangeOptions,
  type Core,
  type Format,
  type HttpRequest,
  type IdempotentRequest,
  parseId,
  type QueryParameters,
  type Reply,
  type Route,
  type RouteContext,
  type Semaphore,
  type SignedIn,
  type Tables,
  type UncheckedInput,
} from '@horarium/core';
import { compressedResponse } from '../reply/compressed.ts';
import { conditionalResponse } from '../reply/conditional.ts';
import { Links, type Site } from '../reply/links.ts';
import type { HttpResponse } from '../reply/response.ts';
import { writeReply } from '../reply/write-reply.ts';
import { parameterOf } from '../route-paths.ts';
import type { Authenticator } from '../security/authenticate.ts';
import { readText } from './body.ts';
import { storedResponse } from './idempotency.ts';
import type { HttpChannel, HttpOrigin } from './origin.ts';

/** The services that the contexts of all requests share. */
export interface ApiServices extends Pick<RouteContext, 'api'> {
  readonly core: Core;
  readonly authenticator: Authenticator;
  /** What links lead to, by where requests come in. */
  readonly sites: Readonly<Record<HttpChannel, Site>>;
  /** Has a permit for each large body without authentication. */
  readonly largeBodies: Semaphore;
  logFailure(error: unknown, origin: HttpOrigin): void;
}

/** A request that is ready for the handler of its route: authenticated, checked and parsed. */
export interface AdmittedRequest
  extends Pick<RouteContext, 'request' | 'query' | 'actor' | 'signedIn' | 'text' | 'body' | 'suffix' | 'dryRun'> {
  readonly route: Route;
  readonly origin: HttpOrigin;
  readonly format: Format;
  /** Null where the request carries no idempotency key. */
  readonly idempotentRequest: IdempotentRequest | null;
}

/** The context of one request. A class and not an object of closures, which every request would create again. */
export class RequestContext implements RouteContext {
  readonly core: Core;
  readonly api: ApiDescription;
  readonly request: HttpRequest;
  readonly query: QueryParameters;
  readonly actor: Actor;
  readonly signedIn: SignedIn | null;
  readonly text: string | null;
  readonly body: UncheckedInput;
  readonly suffix: string | null;
  readonly dryRun: boolean;
  readonly #services: ApiServices;
  readonly #admitted: AdmittedRequest;
  /** The response that was stored under the idempotency key, and the reply that it was written from. */
  #stored: { readonly reply: Reply; readonly response: HttpResponse } | undefined;

  constructor(services: ApiServices, admitted: AdmittedRequest) {
    this.core = services.core;
    this.api = services.api;
    this.request = admitted.request;
    this.query = admitted.query;
    this.actor = admitted.actor;
    this.signedIn = admitted.signedIn;
    this.text = admitted.text;
    this.body = admitted.body;
    this.suffix = admitted.suffix;
    this.dryRun = admitted.dryRun;
    this.#services = services;
    this.#admitted = admitted;
  }

  id(name: string): number {
    const { route, request } = this.#admitted;
    return parseId(name, parameterOf(route, request.params, name));
  }

  readText(max: number): Promise<string> {
    const { signedIn, request } = this;
    return readText(request, max, signedIn ? undefined : this.#services.largeBodies);
  }

  urlOf(path: string): string {
    return this.#site.urls.of(path);
  }

  inTransaction(work: (tables: Tables) => Promise<Reply>, options?: ChangeOptions): Promise<Reply> {
    const { core, actor } = this;
    const { idempotentRequest } = this.#admitted;
    if (this.dryRun) return this.#dryRun(work);
    if (!idempotentRequest) return core.store.transaction(actor, (tables) => replyWithWarnings(tables, work), options);
    const changeOnce = async (tables: Tables) => {
      await core.forChannels.idempotencyKeys.claim(tables, actor, idempotentRequest);
      const reply = await replyWithWarnings(tables, work);
      const response = await this.write(reply);
      const writtenRecord = reply.writtenRecord ?? null;
      await core.forChannels.idempotencyKeys.store(
        tables,
        actor,
        idempotentRequest,
        storedResponse(response),
        writtenRecord,
      );
      this.#stored = { reply, response };
      return reply;
    };
    return core.store.transaction(actor, changeOnce, options);
  }

  async #dryRun(work: (tables: Tables) => Promise<Reply>): Promise<Reply> {
    const { core, actor } = this;
    const { result, consequences } = await core.store.dryRun(actor, (tables) => replyWithWarnings(tables, work));
    return { ...result, warnings: [...consequences, ...(result.warnings ?? [])] };
  }

  async currentActor(): Promise<Actor> {
    const { request, origin } = this.#admitted;
    return (await this.#services.authenticator.authenticate(request, origin)).actor;
  }

  signIn(login: string, password: string): Promise<SignedIn> {
    const { authenticator } = this.#services;
    return authenticator.signIn({ kind: 'basic', login, password }, this.#admitted.origin, { isLogin: true });
  }

  get #site(): Site {
    return this.#services.sites[this.#admitted.origin.channel];
  }

  /** Writes the reply of the handler as a response, in the format of the suffix; one that was stored is written already. */
  async write(reply: Reply): Promise<HttpResponse> {
    if (this.#stored?.reply === reply) return this.#stored.response;
    const { route, request, query, suffix, format, origin } = this.#admitted;
    const links = new Links(this.#site, format.suffix, { route, path: request.path, query, suffix, reply });
    const response = await writeReply(reply, format, links, (error) => this.#services.logFailure(error, origin));
    if (reply.conditional) return conditionalResponse(request, response);
    return reply.compressible ? compressedResponse(request, response) : response;
  }
}

/** Does the work of a transaction, and adds the warnings that it caused to its reply. */
async function replyWithWarnings(tables: Tables, work: (tables: Tables) => Promise<Reply>): Promise<Reply> {
  const reply = await work(tables);
  return tables.warnings.length > 0 ? { ...reply, warnings: [...tables.warnings] } : reply;
}
