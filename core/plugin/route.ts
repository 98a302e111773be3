import type { ChangeOptions } from '../audit/audited-store.ts';
import type { WrittenRecord } from '../records/idempotency.ts';
import type { UncheckedInput } from '../records/text-input.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import type { Tables } from '../store/store.ts';
import type { SignedIn } from '../user/sign-in.ts';
import type { Format, ResponseShape } from './format.ts';
import type { AnyFileImport } from './import/file-import.ts';
import type { PluginCore } from './plugin-core.ts';
import type { RouteShape } from './route-shape.ts';

/**
 * An endpoint of the HTTP API: its description, which can be printed, and its handler. It depends on no web framework.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the base path, as documents write it: `/app/{appId}.{suffix}`. */
  readonly path: string;
  readonly summary: string;
  /**
   * Whether the route is left out of all that describes the API: the OpenAPI document, the index, links. It is for one client
   * that comes with it, such as a page. @default false
   */
  readonly hidden?: boolean;
  /**
   * What the route is for readers of any page, as links name it (RFC 8631): `service-doc` documents the service for people.
   * Pages and errors lead there. @default nothing in particular
   */
  readonly rel?: 'service-doc';
  readonly authentication: 'required' | 'none';
  /** Whether a GET changes something, so that it is protected from other sites as a POST is, and has no HEAD. @default false */
  readonly changes?: boolean;
  /** Whether a request without authentication carries a secret all the same, which must not travel in the clear. @default never */
  readonly confidential?: (query: QueryParameters) => boolean;
  /** Whether the route is mounted at the root in place of the base path: `/healthz`. @default false */
  readonly atRoot?: boolean;
  /** Whether a parameter of the path is a secret: logs have the path as documents write it. @default false */
  readonly secretPath?: boolean;
  /**
   * Whether the handler reads the body of a POST itself, so that it can refuse a request without reading it. Then `text` is
   * null and `body` is empty. `json` = a body that is not JSON is refused with 415 before the handler runs. @default false
   */
  readonly readsBody?: boolean | 'json';
  /** The import of files that the route makes, which pages offer. @default none */
  readonly imports?: AnyFileImport;
  readonly shape: RouteShape;
  /** Whether the path is documented without a suffix, and one is accepted. @default false */
  readonly suffixOptional?: boolean;
  readonly handle: (context: RouteContext) => Promise<Reply>;
}

/** The query parameters of a request; each occurs once. */
export type QueryParameters = ReadonlyMap<string, string>;

/** A request, independent of the web framework: plain data and a body that is read on demand. */
export interface HttpRequest {
  readonly method: string;
  /** The path as it was sent, `/api/v1/app/12.json`, without the query. */
  readonly path: string;
  /** The query with its question mark, as it was sent; empty when there is none. */
  readonly search: string;
  /** The values of the route's path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Every value of each header, by its name in lower case: two headers of one name stay two. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  /** Whether the connection to this process is TLS. */
  readonly encrypted: boolean;
  /** The address of the other end of the connection to this process: the client, or a proxy. */
  readonly peer: string;
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
  /** Called once the caller is authenticated, by servers that keep such connections rather than others. */
  readonly onAuthenticated?: (() => void) | undefined;
  /** Calls back once the response is sent, or the client has left. */
  whenClosed?(callback: () => void): void;
}

/** The context of a handler: a request that was authenticated and parsed, and the services to answer it with. */
export interface RouteContext {
  readonly core: PluginCore;
  readonly request: HttpRequest;
  readonly query: QueryParameters;
  /** The caller; on routes without authentication the anonymous actor, which may do nothing. */
  readonly actor: Actor;
  /** Null on routes without authentication. */
  readonly signedIn: SignedIn | null;
  /** The body of a POST as it was sent, for signatures over it; null for other methods. */
  readonly text: string | null;
  /** The body of the request, parsed but not validated. */
  readonly body: UncheckedInput;
  /** Null where the path has none. */
  readonly suffix: string | null;
  /** Whether `inTransaction` rolls the change back. */
  readonly dryRun: boolean;
  readonly api: ApiDescription;
  /** Reads an id from the path, by the name that the route's path gives it. @throws HorariumError `bad_request`. */
  id(name: string): number;
  /**
   * Reads the body as it was sent, on a route that reads it itself. Few callers without authentication may send more than
   * 16 KiB at once.
   * @param max how many bytes it may have, whatever the limit of other bodies.
   * @throws an error that becomes 413 for a larger body, 400 for one that breaks off or is not UTF-8; TooManyRequests.
   */
  readText(max: number): Promise<string>;
  /** The URL of a path under the base path that the request came in by, for clients to follow. */
  urlOf(path: string): string;
  /**
   * Makes a change and its reply in one audited transaction of the actor, and stores the reply under the request's
   * idempotency key, so that both are committed or neither. The work runs again when the transaction is retried, so it
   * does nothing else; what takes long, such as a call to another service, comes before it. In a dry run
   * (`?dry_run=true`) it is rolled back, and the reply has a warning for each kind of change.
   */
  inTransaction(work: (tables: Tables) => Promise<Reply>, options?: ChangeOptions): Promise<Reply>;
  /**
   * Authenticates the request again, for replies that stream for long.
   * @throws HorariumError `unauthenticated` when its credentials are no longer valid.
   */
  currentActor(): Promise<Actor>;
  /** Signs in with a login and password, for routes that authenticate by themselves. */
  signIn(login: string, password: string): Promise<SignedIn>;
}

/** The API as a whole, for the routes that describe it; the same for every request. */
export interface ApiDescription {
  /** Every route of the API, those of plugins included, hidden ones too. */
  readonly routes: readonly Route[];
  /** Every resource that the API shows, the audit log included. */
  readonly resources: readonly AnyResource[];
  readonly formats: readonly Format[];
  /** The API as an OpenAPI 3.1 document; always the same object. */
  readonly openApi: OpenApiDocument;
  /** The URL of the service, without the base path: its public URL, or else the address that it listens on. */
  readonly serviceUrl: string;
}

/** The reply of a handler; the API writes it in the format of the suffix. */
export interface Reply {
  /** @default 200, or 204 when there is no value */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the client may not expect, though the request was carried out; the warnings of `inTransaction` are added. */
  readonly warnings?: readonly string[];
  /** Plain data, written in the format of the suffix. */
  readonly value?: unknown;
  readonly shape?: ResponseShape;
  /** Whether the value is the same object for every caller and never changes, so that each format is written once. @default false */
  readonly cacheable?: boolean;
  /**
   * Whether clients keep the body and ask whether it is still the same: it gets an entity tag of its bytes, a request with
   * that tag is answered with 304, and clients that take it get the body compressed. @default false
   */
  readonly conditional?: boolean;
  /** Whether the body may be large: clients that take it get it compressed. @default false */
  readonly compressible?: boolean;
  /** The rows of a list in place of a value, page by page, each read when the one before was written. */
  readonly pages?: AsyncIterable<readonly unknown[]>;
  /** The position of a page in its list. */
  readonly page?: PageState;
  /** The query parameters that request the rest, where there is or will be more than this reply contains. */
  readonly more?: Readonly<Record<string, string>>;
  /** Bytes that are sent as they are, in place of a value. */
  readonly bytes?: { readonly mime: string; readonly content: Uint8Array };
  /** Bytes that are sent as they are, piece by piece, each read when the client has taken the one before. */
  readonly file?: { readonly mime: string; readonly size: number; readonly content: AsyncIterable<Uint8Array> };
  /** A stream that is sent as it arrives, in place of a value. */
  readonly stream?: { readonly mime: string; readonly pieces: AsyncIterable<string> };
  /**
   * The record that was written: a caller who may no longer write it does not get the stored reply. The handler does not
   * run for a repeated request, so no other check of its permissions is made.
   */
  readonly writtenRecord?: WrittenRecord;
}

/** The position of one page in its list. */
export interface PageState {
  /** The number of rows on all pages: `7`, or `10000+`. */
  readonly total: string;
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
  /** The fields that the list can be ordered by. */
  readonly orders: readonly string[];
}

/** An OpenAPI document, as plain data. */
export type OpenApiDocument = Readonly<Record<string, unknown>> & {
  readonly info: Readonly<Record<string, unknown>> & {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};
