/** The URLs of one base path. */
export interface BaseUrls {
  readonly basePath: string;
  /** The URL of the service without the base path. */
  readonly root: string;
  /** Returns the URL of a path under the base path; without a host where no public URL is set. */
  of(path: string): string;
}

/** Builds the URLs that the service gives out. They never come from a request's `Host`, which anyone can forge. */
export class ServiceUrls {
  /** The origin that browsers name in `Origin`; null where no public URL is set. */
  readonly publicOrigin: string | null;
  readonly #publicUrl: string | undefined;
  readonly #mountPath: string;
  #listeningUrl = '';

  /**
   * @param publicUrl without the base path; null = URLs are given without a host.
   * @param mountPath the path that the API is mounted under in another server, which a public URL includes.
   */
  constructor(publicUrl: string | null, mountPath = '') {
    this.#publicUrl = publicUrl?.replace(/\/+$/, '');
    this.#mountPath = mountPath;
    this.publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  }

  /**
   * Sets the URL that the server listens on, unless it is known. A wildcard address, to which no client can connect, becomes
   * localhost.
   */
  listensOn(url: string): void {
    if (this.#listeningUrl !== '') return;
    const reachable = url.replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/, '$1localhost');
    this.#listeningUrl = `${reachable}${this.#mountPath}`;
  }

  /** The URL of the service without the base path: its public URL, or else the one that it listens on. */
  get serviceUrl(): string {
    return this.#publicUrl ?? this.#listeningUrl;
  }

  /** Returns the public URL without the base path, or the path that the API is mounted under where none is set. */
  get root(): string {
    return this.#publicUrl ?? this.#mountPath;
  }

  /** The path that browsers know the service by, without a slash at its end: empty, or `/scheduler`. */
  get rootPath(): string {
    return new URL(this.root, 'http://localhost').pathname.replace(/\/+$/, '');
  }

  /** Returns the URLs of a base path: links lead where the request for them came in. */
  under(basePath: string): BaseUrls {
    const { root } = this;
    return { basePath, root, of: (path) => `${root}${basePath}${path}` };
  }
}
