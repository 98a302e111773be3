import { basePath } from './base-path.ts';

/** Builds the URLs that the service gives out. They never come from a request's `Host`, which anyone can forge. */
export class ServiceUrls {
  /** The origin that browsers name in `Origin`; null where no public URL is set. */
  readonly publicOrigin: string | null;
  readonly #publicUrl: string;
  #listeningUrl = '';

  /** @param publicUrl without the base path; null = URLs are given without a host. */
  constructor(publicUrl: string | null) {
    this.#publicUrl = publicUrl?.replace(/\/+$/, '') ?? '';
    this.publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  }

  /** Sets the URL that the server listens on. A wildcard address, to which no client can connect, becomes localhost. */
  listensOn(url: string): void {
    this.#listeningUrl = url.replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/, '$1localhost');
  }

  /** The URL of the service without the base path: its public URL, or else the one that it listens on. */
  get serviceUrl(): string {
    return this.#publicUrl || this.#listeningUrl;
  }

  /** Returns the public URL, without the base path; empty where none is set. */
  get root(): string {
    return this.#publicUrl;
  }

  /** Returns the URL of a path under the base path; without a host where no public URL is set. */
  of(path: string): string {
    return `${this.#publicUrl}${basePath}${path}`;
  }
}
