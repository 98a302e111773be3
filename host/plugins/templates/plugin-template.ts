/** The parts of a new plugin that differ by what it provides, with its name put in. */
export interface PluginTemplate {
  /** One sentence that says what the plugin does as it is written. */
  summary(name: string): string;
  /** The module `plugin.js`. */
  plugin(name: string): string;
  /** The module `fixtures.js`, which tells the contract suites what to check. @default none, for a kind without a contract */
  fixtures?(name: string): string;
  /** The module `plugin.test.js`. @default checks the contracts */
  test?(): string;
  /** A first use of it on the command line, line by line. */
  use(name: string): readonly string[];
}
