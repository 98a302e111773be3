import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { HorariumError, type StaticAssets } from '@horarium/core';
import { AssetFile, encodingEndings } from './asset-file.ts';
import { readFolder } from './read-folder.ts';

const load = createRequire(import.meta.url);

/** The name of a file that holds a hash of its content, as esbuild and its like write it: `app-4OXWDRYX.js`. */
const hashedName = /[.-][A-Z2-7]{8}\.[^/]+$/;
/** What a page has where its base belongs. */
const baseElement = '<base href="/">';

/** The files beneath one path, as they were when the service started. */
export class AssetFolder {
  readonly at: string;
  /** The file for the path itself and for views; null where there is none. */
  readonly page: AssetFile | null;
  /** The path with a slash behind it. */
  readonly #prefix: string;
  /** By path beneath `at`, escaped. */
  readonly #files: ReadonlyMap<string, AssetFile>;

  /**
   * @param mountPath the path in front of those of the service, as clients see them.
   * @throws HorariumError `invalid` naming the plugin whose folder cannot be read, is too large or lacks its page.
   */
  constructor({ at, folder, page, headers = {} }: StaticAssets, plugin: string, mountPath: string) {
    this.at = at;
    this.#prefix = at.endsWith('/') ? at : `${at}/`;
    const path = folder instanceof URL ? fileURLToPath(folder) : folder;
    const contents = readFolder(path, plugin);
    if (page !== undefined) setBase(contents, page, mountPath + this.#prefix);
    const files = [...contents.keys()].filter((name) => !isEncoding(name, contents));
    const fileOf = (name: string) => [escaped(name.split('/')), assetFile(name, contents, page, headers)] as const;
    this.#files = new Map(files.map(fileOf));
    this.page = (page !== undefined && this.#files.get(escaped(page.split('/')))) || null;
    if (page !== undefined && !this.page)
      throw new HorariumError('invalid', `The plugin ${plugin} has no page ${page} in its folder of assets ${path}.`);
  }

  contains(path: string): boolean {
    return path === this.at || path.startsWith(this.#prefix);
  }

  /** Returns the file at a path; null where there is none. */
  find(path: string): AssetFile | null {
    if (path === this.at || path === this.#prefix) return this.page;
    try {
      const segments = path.slice(this.#prefix.length).split('/');
      return this.#files.get(escaped(segments.map(decodeURIComponent))) ?? null;
    } catch {
      // What no escape can mean is the name of no file.
      return null;
    }
  }
}

/** Tells the page where clients see its folder. Its encodings are left out then, because they hold another page. */
function setBase(contents: Map<string, Uint8Array>, page: string, base: string): void {
  const written = contents.get(page);
  if (!written || base === '/') return;
  const text = Buffer.from(written).toString();
  if (!text.includes(baseElement)) return;
  const element = `<base href="${base.replaceAll('&', '&amp;')}">`;
  contents.set(page, Buffer.from(text.replace(baseElement, () => element)));
  contents.delete(`${page}${encodingEndings.br}`);
  contents.delete(`${page}${encodingEndings.gzip}`);
}

function assetFile(
  name: string,
  contents: ReadonlyMap<string, Uint8Array>,
  page: string | undefined,
  headers: StaticAssets['headers'],
): AssetFile {
  const encodings = Object.entries(encodingEndings) as [keyof typeof encodingEndings, string][];
  const present = encodings.flatMap(([encoding, ending]) => {
    const content = contents.get(name + ending);
    return content ? [[encoding, content] as const] : [];
  });
  return new AssetFile(mediaType(name), new Map(present), {
    ...headers,
    'Cache-Control': hashedName.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    // Programs get a problem at the path of a view.
    Vary: name === page ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
  });
}

/** Whether a file is an encoding of another one. */
function isEncoding(name: string, contents: ReadonlyMap<string, Uint8Array>): boolean {
  const ending = /\.(?:br|gz)$/.exec(name)?.[0];
  return ending !== undefined && contents.has(name.slice(0, -ending.length));
}

function mediaType(name: string): string {
  // The long list of types is loaded only where the short one, which has what most pages are made of, does not know the name.
  const { default: common } = load('mime/lite') as typeof import('mime/lite');
  const rare = () => (load('mime') as typeof import('mime')).default.getType(name);
  const type = common.getType(name) ?? rare() ?? 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

/** Escapes a path in one way: `%61pp.js` is `app.js`, and an escaped slash separates nothing. */
function escaped(segments: readonly string[]): string {
  return segments.map(encodeURIComponent).join('/');
}
