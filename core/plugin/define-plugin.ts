import type { AnyAction } from '../action/action.ts';
import type { AnyCalendarRule } from '../calendar/calendar-rule.ts';
import type { EventSourceKind } from '../event/event-source-kind.ts';
import type { AnyExecutor } from '../executor/executor.ts';
import type { Fields, RowOf } from '../field/field-meta.ts';
import type { Clock } from '../loop/clock.ts';
import type { AnyCommand } from './command.ts';
import type { Format } from './format.ts';
import type { AnyImporter } from './import/importer.ts';
import type { PluginCheck } from './plugin-check.ts';
import type { PluginGauge } from './plugin-gauge.ts';
import type { PluginFields, PluginResource } from './plugin-resource.ts';
import type { PluginTicker } from './plugin-ticker.ts';
import type { Route } from './route.ts';

/** The setup that a plugin receives when the service starts. */
export interface PluginSetup<F extends Fields = Fields> {
  /** The configured options, validated against the plugin's `options`, with defaults for those left out. */
  readonly options: RowOf<F>;
  readonly clock: Clock;
  /** Writes a sentence to the log of the service, with the name of the plugin. */
  log(sentence: string): void;
}

/**
 * Files that the service serves at its root, to everyone and as they are: the pages of an application in the browser. It reads
 * them once, when it starts. Routes win over them, and nothing of them is under the base path of the API.
 */
export interface StaticAssets {
  /** The path that they are beneath, `/` or `/board`. Of two plugins the longer path wins. */
  readonly at: string;
  /**
   * A `file:` URL or an absolute path: `new URL('./public/', import.meta.url)`. Links and names that begin with a dot are left
   * out. `app.js.br` and `app.js.gz` are encodings of the `app.js` beside them. A name with a hash as esbuild writes it,
   * `app-4OXWDRYX.js`, tells that the file never changes.
   */
  readonly folder: URL | string;
  /**
   * A file of the folder, `index.html`, for `at` itself and for the views of the application: a browser gets it at every path
   * without an extension that is no file. Its `<base href="/">` is replaced by where clients see `at`, so that relative
   * links lead to the files from each view, and behind a proxy or in another server as well.
   * @default such paths are not found
   */
  readonly page?: string;
  /** Further headers of each file, such as the `Content-Security-Policy` of the page. @default one that forbids everything */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A plugin as plain data: the extensions that the service registers, and its lifecycle hooks. */
export interface Plugin<F extends Fields = Fields> {
  readonly name: string;
  /** The version of the plugin interface that the plugin implements. */
  readonly api: 1;
  /**
   * Declares the options with the field helpers of records; the setting `plugin_options` has their values, by plugin name.
   * @default none
   */
  readonly options?: F;
  /** @default none */
  readonly formats?: readonly Format[];
  /** @default none */
  readonly importers?: readonly AnyImporter[];
  /** @default none */
  readonly calendarRules?: readonly AnyCalendarRule[];
  /** A list, or a function that makes it of the options. @default none */
  readonly commands?: readonly AnyCommand[] | ((setup: PluginSetup<F>) => readonly AnyCommand[]);
  /** @default none */
  readonly resources?: readonly PluginResource[];
  /** @default none */
  readonly fields?: readonly PluginFields[];
  /** Creates the executors when the service starts. The service closes them when it stops: they may own processes. @default none */
  readonly executors?: (setup: PluginSetup<F>) => readonly AnyExecutor[];
  /** @default none */
  readonly eventSourceKinds?: (setup: PluginSetup<F>) => readonly EventSourceKind[];
  /** @default none */
  readonly actions?: (setup: PluginSetup<F>) => readonly AnyAction[];
  /** @default none */
  readonly routes?: (setup: PluginSetup<F>) => readonly Route[];
  /**
   * Whether people may sign in on pages of the service: then its routes are also mounted under `/console/api`, where the
   * cookie of a session signs requests in, and nothing else does. @default false
   */
  readonly sessions?: boolean;
  /** @default none */
  readonly assets?: readonly StaticAssets[];
  /** @default none */
  readonly tickers?: (setup: PluginSetup<F>) => readonly PluginTicker[];
  /** @default none */
  readonly gauges?: (setup: PluginSetup<F>) => readonly PluginGauge[];
  /** @default none */
  readonly checks?: (setup: PluginSetup<F>) => readonly PluginCheck[];
  /** Runs when all plugins are loaded, before the first request and the first job. An error stops the start. */
  readonly start?: (setup: PluginSetup<F>) => Promise<void> | void;
  /** Runs when the service stops, after its last job has ended. */
  readonly stop?: (setup: PluginSetup<F>) => Promise<void> | void;
}

/** A plugin with any options. */
// biome-ignore lint/suspicious/noExplicitAny: Plugin is invariant in its options, so only any accepts every plugin.
export type AnyPlugin = Plugin<any>;

/** Returns the plugin unchanged; lets the compiler check it and infer the types of its options. */
export function definePlugin<const F extends Fields>(plugin: Plugin<F>): Plugin<F> {
  return plugin;
}
