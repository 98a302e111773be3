import { HorariumError, type HttpRequest, type StaticAssets } from '@horarium/core';
import { isApiPath } from '../base-path.ts';
import { asksForHtml } from '../request/accept.ts';
import type { AssetFile } from './asset-file.ts';
import { AssetFolder } from './asset-folder.ts';

/** The assets of plugins: a registry of them, by path. */
export interface PluginAssets extends Iterable<StaticAssets> {
  /** The plugin that brought the assets. */
  ownerOf(at: string): string;
}

/** The methods of a file, as the header `Allow` lists them. */
export const assetMethods = 'GET, HEAD';

/** The files that plugins have the service serve, to everyone, at paths that no route has. */
export class Assets {
  /** The folder of the longest path first. */
  readonly #folders: readonly AssetFolder[];

  /**
   * Reads all files.
   * @param mountPath the path in front of those of the service, as clients see them.
   * @throws HorariumError `invalid` naming the plugin whose assets cannot be served.
   */
  constructor(plugins: PluginAssets, mountPath: string) {
    const folders = [...plugins].map((assets) => {
      const { at } = assets;
      const plugin = plugins.ownerOf(at);
      if (isApiPath(at))
        throw new HorariumError('invalid', `The plugin ${plugin} provides assets at ${at}, where the API is.`);
      return new AssetFolder(assets, plugin, mountPath);
    });
    this.#folders = folders.sort((one, other) => other.at.length - one.at.length);
  }

  /** Finds the file that answers a path: its own, or the page for a view. @returns null where there is none. */
  find(request: HttpRequest): AssetFile | null {
    const { path } = request;
    const folder = isApiPath(path) ? undefined : this.#folders.find((each) => each.contains(path));
    return folder?.find(path) ?? (folder && isForView(request) ? folder.page : null);
  }
}

/** Whether a request is for a view: of a browser, for a path whose end is not the name of a file. */
function isForView(request: HttpRequest): boolean {
  const { path } = request;
  return isReading(request) && !path.includes('.', path.lastIndexOf('/')) && asksForHtml(request);
}

/** Whether a request only reads. */
export function isReading({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}
