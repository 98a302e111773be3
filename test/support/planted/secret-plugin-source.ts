import { pathToFileURL } from 'node:url';

/** Returns the source of a plugin with a secret option and an executor with another one; its jobs succeed if both are decrypted. */
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
      const isDecrypted = token.length > 20 && attempt.options.key.length > 20;
      return {
        stop() {},
        done: Promise.resolve({ exitCode: isDecrypted ? 0 : 1, signal: null, timedOut: false, reason: null, finishedAt: Date.now(), files: [] }),
      };
    },
  }],
};
`;
}
