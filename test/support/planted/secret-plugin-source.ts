import { pathToFileURL } from 'node:url';

/** The source of a plugin that has a secret option, and an executor that has one as well. */
export function secretPluginSource(): string {
  const plugin = pathToFileURL(new URL(import.meta.resolve('@horarium/core/plugin')).pathname).href;
  return `import { text } from '${plugin}';
export default {
  name: 'planted',
  api: 1,
  options: { token: text(1024, { secret: 'encrypted' }).required() },
  executors: ({ options: { token } }) => [{
    name: 'planted',
    options: { key: text(1024, { secret: 'encrypted' }) },
    start(attempt, report) {
      report.started({ pid: null });
      const had = token.length > 20 && attempt.options.key.length > 20;
      return {
        stop() {},
        done: Promise.resolve({ exitCode: had ? 0 : 1, signal: null, timedOut: false, reason: null, finishedAt: Date.now(), files: [] }),
      };
    },
  }],
};
`;
}
