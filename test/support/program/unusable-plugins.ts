/** A plugin that the service must refuse, by its name. */
export interface UnusablePlugin {
  /** The expression that is its default export; `core` is `@horarium/core/plugin`. */
  readonly source: string;
  /** The one sentence that says why. */
  readonly refusal: RegExp;
}

/** Plugins with every mistake that the service tells when it loads them. */
export const unusablePlugins: Readonly<Record<string, UnusablePlugin>> = {
  throws: {
    source: '(() => { throw new Error("no licence") })()',
    refusal: /^The plugin .*throws\.mjs cannot be loaded: no licence\.\n$/,
  },
  nothing: {
    source: 'undefined',
    refusal:
      /nothing\.mjs is not a plugin: its default export must be created with definePlugin\(\{ name, api, … \}\)\.\n$/,
  },
  newer: {
    source: "{ name: 'newer', api: 2 }",
    refusal: /^The plugin newer .* is written for version 2 of the plugin interface; this host supports version 1\.\n$/,
  },
  required: {
    source: "{ name: 'required', api: 1, options: { url: core.text(99).required() } }",
    refusal: /^The options of the plugin required are invalid: url is required\.\n$/,
  },
  broken: {
    source: "{ name: 'broken', api: 1, executors() { throw new Error('no device') } }",
    refusal: /^The plugin broken cannot make its executors: no device\.\n$/,
  },
  misspelt: {
    source: "{ name: 'misspelt', api: 1, executor: () => [] }",
    refusal: /^The plugin misspelt has a member executor, which means nothing here\. Did you mean executors\?\n$/,
  },
  half: {
    source: "{ name: 'half', api: 1, formats: [{ suffix: 'half', mime: 'text/plain' }] }",
    refusal: /^The plugin half provides a format without write, which must be a function\.\n$/,
  },
  taken: {
    source: `{ name: 'taken', api: 1, routes: () => [{ method: 'GET', path: '/tasks.{suffix}', summary: 'Mine',
      authentication: 'required', shape: { responses: {} }, handle: async () => ({}) }] }`,
    refusal: /^The plugin taken provides the route GET \/tasks\.\{suffix\}, which the API has already\.\n$/,
  },
  unread: {
    source: "{ name: 'unread', api: 1, assets: [{ at: '/unread', folder: new URL('./not-there/', import.meta.url) }] }",
    refusal: /^The plugin unread has a folder of assets that cannot be read: ENOENT: .*not-there.*\.\n$/,
  },
  doubled: {
    source:
      "{ name: 'doubled', api: 1, assets: [1, 2].map(() => ({ at: '/x', folder: new URL('.', import.meta.url) })) }",
    refusal: /^The plugin doubled provides the folder of assets \/x twice\.\n$/,
  },
  twice: {
    source:
      "{ name: 'twice', api: 1, formats: [1, 2].map(() => ({ suffix: 'x', mime: 'text/plain', write: String })) }",
    refusal: /^The plugin twice provides the format x twice\.\n$/,
  },
};

/** The module of such a plugin. */
export function moduleOf({ source }: UnusablePlugin): string {
  const core = JSON.stringify(import.meta.resolve('@horarium/core/plugin'));
  return `import * as core from ${core};\nexport default ${source};\n`;
}
